/** Signers of records here for whom one list alone vouches. */
import { setImmediate as turn } from 'node:timers/promises';
import type { StoreFacts } from '../../domain/provenance/manifest-facts.ts';
import type { Core } from '../core.ts';

/** Between two turns of the event loop. */
const RECORDS_AT_ONCE = 200;
const NAMES_MAX = 20;

/** Names of signers whose only voucher is one of these on the list. A look at every record: minutes for a million. */
export async function signersOnlyOf(
  { store }: Pick<Core, 'store'>,
  list: string,
  vouchers: readonly string[],
): Promise<string[]> {
  if (vouchers.length === 0) return [];
  const names = new Set<string>();
  let seen = 0;
  for (const analysis of store.read.doneAnalyses()) {
    for (const name of namesIn(analysis.result?.provenance.store, list, vouchers)) names.add(name);
    if (names.size >= NAMES_MAX) break;
    seen += 1;
    if (seen % RECORDS_AT_ONCE === 0) await turn();
  }
  return [...names];
}

function namesIn(facts: StoreFacts | undefined, list: string, vouchers: readonly string[]): string[] {
  return (facts?.manifests ?? []).flatMap(({ signer }) => {
    const vouchedBy = signer?.vouchedBy ?? [];
    const isOnly =
      vouchedBy.length > 0 && vouchedBy.every((it) => it.list === list && vouchers.includes(it.by));
    return signer !== null && isOnly ? [signer.name] : [];
  });
}

/** What a newer edition of a trust list adds and drops, and whose signatures here would lose their voucher. */
import { X509Certificate } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { TrustListDiff } from '../../domain/contract/trust.ts';
import type { StoreFacts } from '../../domain/provenance/manifest-facts.ts';
import type { TrustList } from '../../domain/provenance/trust-list.ts';
import type { Core } from '../core.ts';

/** People read it; the counts state how many there are. */
const NAMES_MAX = 200;

export function diffOf(before: TrustList, after: TrustList, droppedSigners: string[]): TrustListDiff {
  const [old, now] = [contentOf(before), contentOf(after)];
  const added = [...now].flatMap(([key, name]) => (old.has(key) ? [] : name));
  const removed = [...old].flatMap(([key, name]) => (now.has(key) ? [] : name));
  return {
    id: after.id,
    sha256: after.sha256,
    droppedSigners,
    added: added.slice(0, NAMES_MAX),
    removed: removed.slice(0, NAMES_MAX),
    addedCount: added.length,
    removedCount: removed.length,
  };
}

/** Keyed so that two certificates with one name differ. */
function contentOf({ authorities, singles, products }: TrustList): Map<string, string> {
  const certificates = [...authorities, ...singles.map(({ der }) => der)];
  return new Map([
    ...certificates.map((der) => [der, nameOf(der)] as const),
    ...products.map((product) => [JSON.stringify(product), product.commonName] as const),
  ]);
}

/** Signers of records here whose only vouchers are dropped. */
export async function droppedSigners(
  app: Pick<Core, 'store'>,
  before: TrustList,
  after: TrustList,
): Promise<string[]> {
  const kept = new Set(vouchersOf(after));
  const dropped = vouchersOf(before).filter((name) => !kept.has(name));
  return await signersOnlyOf(app, before.id, dropped);
}

function vouchersOf({ authorities, singles }: TrustList): string[] {
  return [...authorities, ...singles.map(({ der }) => der)].map(nameOf);
}

/** The voucher's name in readings: the common name, or the organisation. */
function nameOf(der: string): string {
  const { subject } = new X509Certificate(Buffer.from(der, 'base64'));
  return /(?:^|\n)CN=(.*)/.exec(subject)?.[1] ?? /(?:^|\n)O=(.*)/.exec(subject)?.[1] ?? '';
}

/** Records between two turns of the event loop. */
const RECORDS_AT_ONCE = 200;
const VOUCHED_MAX = 20;

/** Names of signers here whose only voucher is one of these on the list. Looks at every record: minutes for a million. */
async function signersOnlyOf(
  { store }: Pick<Core, 'store'>,
  list: string,
  vouchers: readonly string[],
): Promise<string[]> {
  if (vouchers.length === 0) return [];
  const names = new Set<string>();
  let seen = 0;
  for (const analysis of store.read.doneAnalyses()) {
    for (const name of namesIn(analysis.result?.provenance.store, list, vouchers)) names.add(name);
    if (names.size >= VOUCHED_MAX) break;
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

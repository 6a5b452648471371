/** Measures each model's speed on this box, beside its other work. */
import type { BenchedModel } from '../../domain/contract/appliance.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

/** One model after the other. Administrators only. */
export function benchModels(
  app: ApplianceParts,
  { principal }: { principal: Principal },
  signal: AbortSignal,
): AsyncGenerator<BenchedModel> {
  assertAdmin(principal);
  return benchEach(app, signal);
}

async function* benchEach(app: ApplianceParts, signal: AbortSignal): AsyncGenerator<BenchedModel> {
  for (const { pack, report } of app.shelf.usable ?? []) {
    signal.throwIfAborted();
    const about = { id: pack.id, version: pack.version, provider: report?.provider ?? '' };
    try {
      yield { ...about, ...(await app.packChanges.bench(pack, signal)), error: '' };
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      yield { ...about, items: 0, itemsPerSecond: 0, singleMs: 0, error: message };
    }
  }
}

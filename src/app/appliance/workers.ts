/** The boxes that carry out work for this one, as far as they were heard of since its start. */
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

export interface WorkerEntry {
  name: string;
  version: string;
  /** Analyses that it takes at once. */
  places: number;
  running: number;
  done: number;
  failed: number;
  /** Its clock less ours. */
  clockOffsetSeconds: number;
  draining: boolean;
  /** Whether it was heard of in the last seconds. */
  here: boolean;
  /** Why it gets no work; null where it does. */
  refusal: string | null;
  /** Id and version of each, with the beginning of its SHA-256. */
  packs: string[];
}

const DIGEST_SHOWN = 12;

/** By name. Administrators only. */
export function listWorkers(
  { engine }: Pick<ApplianceParts, 'engine'>,
  { principal }: { principal: Principal },
): WorkerEntry[] {
  assertAdmin(principal);
  const entries = engine.workers().map(({ packs, isDraining, isHere, ...rest }) => ({
    ...{ ...rest, draining: isDraining, here: isHere },
    packs: packs.map(({ key, sha256 }) => `${key} ${sha256.slice(0, DIGEST_SHOWN)}`),
  }));
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

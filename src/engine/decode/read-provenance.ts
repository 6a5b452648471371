/** The manifests of a stored original read anew, beside the queue's own work. */
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { Provenance } from '../../domain/verdicts/provenance.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import { type Originals, placeOriginal } from './place-original.ts';

/** A picture takes 30 ms, and two hours of film some seconds: a child that takes longer stands still. */
const TIMEOUT_MS = 60_000;

export interface StoredManifest {
  hash: string;
  trust: TrustMaterial;
  signal: AbortSignal;
}

/** In the slots of renditions, so that no analysis waits for it. Throws ChangedOriginalError and what a lost child throws. */
export async function readStoredProvenance(
  pool: Pick<DecodePool, 'run'>,
  blobs: Originals,
  { hash, trust, signal }: StoredManifest,
): Promise<Provenance> {
  return await pool.run(
    'rendition',
    async (slot) => {
      const input = await placeOriginal(slot, blobs, { hash, signal });
      const work = { type: 'read-provenance', input, limits: DECODE_LIMITS, trust } as const;
      return (await slot.request(work, { signal, timeoutMs: TIMEOUT_MS })).provenance;
    },
    { signal },
  );
}

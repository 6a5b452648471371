/** Reads only the manifests of a stored original: anew, or one from outside the file. */
import type { OuterManifest } from '../../domain/provenance/outer-manifest.ts';
import type { Provenance } from '../../domain/provenance/provenance.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { DECODE_LIMITS } from './decode-limits.ts';
import type { DecodePool } from './decode-pool.ts';
import { type Originals, placeOriginal } from './place-original.ts';

/** A picture takes 30 ms, and two hours of film some seconds: a slower child hangs. */
const TIMEOUT_MS = 60_000;
const MANIFEST_NAME = 'manifest';

export interface StoredManifest {
  hash: string;
  trust: TrustMaterial;
  /** Replaces one within the file. */
  manifest?: OuterManifest | undefined;
  /** The slots to use: those of analyses, or of renditions, so that no analysis waits for it. */
  turn?: 'analysis' | 'rendition';
  signal: AbortSignal;
}

/** Throws ChangedOriginalError and what a lost child throws. */
export async function readStoredProvenance(
  pool: Pick<DecodePool, 'run'>,
  blobs: Originals,
  { hash, trust, manifest, turn = 'rendition', signal }: StoredManifest,
): Promise<Provenance> {
  return await pool.run(
    turn,
    async (slot) => {
      const input = await placeOriginal(slot, blobs, { hash, signal });
      const outer = manifest && {
        input: await slot.placeBytes(MANIFEST_NAME, manifest.bytes),
        source: manifest.source,
      };
      const work = { type: 'read-provenance', input, limits: DECODE_LIMITS, trust, manifest: outer } as const;
      return (await slot.request(work, { signal, timeoutMs: TIMEOUT_MS })).provenance;
    },
    { signal },
  );
}

/** A manifest store as the C2PA reader opens or refuses it; read-facts.ts reads its signatures, if it has any. */
import type { Reader } from '@contentauth/c2pa-node';
import type { StoreFacts } from '../../domain/provenance/manifest-facts.ts';
import { appliedLists, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { readSignatures, type SignatureBox } from './signature-box.ts';

export interface OpenedStore {
  reader: Reader;
  /** The reader's JSON, or a substitute. */
  json: unknown;
  boxes: readonly SignatureBox[];
}

/** The reader gives the bytes of a manifest and of all its ingredients under the manifest's label. */
export async function readBoxes(reader: Reader): Promise<SignatureBox[]> {
  const label = reader.activeLabel() ?? '';
  if (label === '') return [];
  try {
    const { buffer } = await reader.resourceToAsset(label, { buffer: null });
    return readSignatures(buffer);
  } catch {
    // No list then vouches for the signer: the reader has reported the manifest's fault.
    return [];
  }
}

/** Facts of a manifest that the reader refuses: its one code. */
export function unreadableStore(code: string, trust: TrustMaterial): StoreFacts {
  const codes = [{ code, kind: 'failure', count: 1, isAboutIdentity: false, explanation: '' } as const];
  const texts = { label: '', title: '', format: '', generator: '' };
  const nothing = { actions: [], device: null, ingredients: [], trainingMining: [], identities: [] };
  return {
    source: 'embedded',
    active: '',
    leftOut: 0,
    lists: appliedLists(trust),
    readAt: Date.now() * MICROSECONDS_PER_MS,
    manifests: [{ ...texts, ...nothing, codes: [...codes], signer: null }],
  };
}

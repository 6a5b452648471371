/** A manifest store as the C2PA reader opens it or refuses it; what its signatures say is read by read-facts.ts, if there is one. */
import type { Reader } from '@contentauth/c2pa-node';
import type { StoreFacts } from '../../domain/provenance/manifest-facts.ts';
import { appliedLists, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { MICROSECONDS_PER_MS } from '../../domain/time.ts';
import { readSignatures, type SignatureBox } from './signature-box.ts';

export interface OpenedStore {
  reader: Reader;
  /** The reader's own words, or what they stand for. */
  json: unknown;
  boxes: readonly SignatureBox[];
}

/** The reader gives the bytes of a manifest with those of all its ingredients under the manifest's label. */
export async function readBoxes(reader: Reader): Promise<SignatureBox[]> {
  const label = reader.activeLabel() ?? '';
  if (label === '') return [];
  try {
    const { buffer } = await reader.resourceToAsset(label, { buffer: null });
    return readSignatures(buffer);
  } catch {
    // Then no list vouches for the signer: the reader has said what is wrong with the manifest.
    return [];
  }
}

/** What is known of a manifest that the reader refuses: the one thing that it says of it. */
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

/**
 * What a trusted manifest shows of the origin, as far as it weighs: a chain from the file back to what it was made from,
 * in which each manifest is trusted, unchanged and in time. Everything else that is declared is shown and weighs nothing.
 */
import type { ManifestFacts, StoreFacts } from './manifest-facts.ts';
import { type Readings, readManifest } from './readings.ts';
import { isBegunBy, lineage } from './timeline.ts';

export interface SignedOrigin {
  /** `generated`: declared as a whole. `captured`: by a product of the list of conforming products that may say so. */
  origin: 'generated' | 'captured';
  /** Who signed the manifest that declares it. */
  signedBy: Readings['signedBy'];
}

/** Null where nothing of that kind is shown. */
export function signedOriginOf(store: StoreFacts | undefined): SignedOrigin | null {
  if (store === undefined) return null;
  for (const facts of lineage(store)) {
    const readings = readManifest(facts, { isActive: facts.label === store.active, readAt: store.readAt });
    if (readings.state !== 'trusted') return null;
    const { signedBy } = readings;
    if (declaresWhollyGenerated(facts)) return { origin: 'generated', signedBy };
    if (isCapturedByDevice(facts, readings)) return { origin: 'captured', signedBy };
  }
  return null;
}

/** Some part of a composite may be generated: that is shown, and says nothing of the whole. */
function declaresWhollyGenerated({ actions }: ManifestFacts): boolean {
  return actions.some(({ action, sourceType }) => action === 'c2pa.created' && isGeneratedTerm(sourceType));
}

function isGeneratedTerm(sourceType: string): boolean {
  return /(^|\/)(trainedAlgorithmicMedia|algorithmicMedia)$/.test(sourceType);
}

function isCapturedByDevice({ actions, signer }: ManifestFacts, { signedBy }: Readings): boolean {
  return isBegunBy(actions, 'captured') && signedBy.product !== '' && signer?.product?.mayCapture === true;
}

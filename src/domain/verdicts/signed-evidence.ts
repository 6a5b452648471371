/** A trusted manifest never moves figures: generated decides, a capture supports human unless the file contradicts it. */
import type { ManifestFacts, StoreFacts } from '../provenance/manifest-facts.ts';
import { declaresGenerated, type Provenance } from '../provenance/provenance.ts';
import { nameOf } from '../provenance/reading-sentence.ts';
import { type Readings, readManifest } from '../provenance/readings.ts';
import { isBegunBy, lineage } from '../provenance/timeline.ts';
import { type AssessmentReason, reason } from './assessment-reason.ts';

export interface SignedWeight {
  state: 'artificial' | 'human' | 'inconclusive';
  strength: 'signed' | 'strong';
  reasons: AssessmentReason[];
}

export interface BesideSignature {
  /** The models' probability at even prior odds; null without an answer. */
  probability: number | null;
  /** Probability from which the models say artificial. */
  artificialFrom: number;
  /** Other declarations of generated content in the file: metadata, watermarks. */
  contradictions: readonly AssessmentReason[];
}

/** Null if no trusted manifest shows the origin. */
export function weighSignature(provenance: Provenance, beside: BesideSignature): SignedWeight | null {
  const origin = signedOriginOf(provenance.store);
  if (origin === null) return null;
  if (origin.origin === 'generated') return weighGenerated(origin);
  return weighCaptured(origin, beside, { hasGeneratedParts: declaresGenerated(provenance.declaredOrigin) });
}

function weighGenerated({ signedBy }: SignedOrigin): SignedWeight {
  const reasons = [reason('SIGNED_GENERATED', { name: nameOf(signedBy) })];
  return { state: 'artificial', strength: 'signed', reasons };
}

function weighCaptured(
  { signedBy }: SignedOrigin,
  { probability, artificialFrom, contradictions }: BesideSignature,
  { hasGeneratedParts }: { hasGeneratedParts: boolean },
): SignedWeight {
  const reasons = [reason('SIGNED_CAPTURED', { name: signedBy.product })];
  if (probability !== null && probability >= artificialFrom) {
    reasons.push(reason('PROVENANCE_CONTRADICTS_MODELS'));
  }
  // The captured picture was edited or something was inserted: a file is not called human against its own word.
  if (hasGeneratedParts) {
    reasons.push(reason('CAPTURE_WITH_GENERATED_PARTS'));
  }
  const state = reasons.length > 1 || contradictions.length > 0 ? 'inconclusive' : 'human';
  return { state, strength: 'strong', reasons: [...reasons, ...contradictions] };
}

interface SignedOrigin {
  /** `generated`: declared as a whole. `captured`: by a conforming product whose list lets it declare captures. */
  origin: 'generated' | 'captured';
  /** The signer of the declaring manifest. */
  signedBy: Readings['signedBy'];
}

/** The origin by a chain of trusted, unchanged, timely manifests from the file to its sources; others weigh nothing. */
function signedOriginOf(store: StoreFacts | undefined): SignedOrigin | null {
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

/** Some part of a composite may be generated: that is shown, and does not concern the whole. */
function declaresWhollyGenerated({ actions }: ManifestFacts): boolean {
  return actions.some(({ action, sourceType }) => action === 'c2pa.created' && isGeneratedTerm(sourceType));
}

function isGeneratedTerm(sourceType: string): boolean {
  return /(^|\/)(trainedAlgorithmicMedia|algorithmicMedia)$/.test(sourceType);
}

function isCapturedByDevice({ actions, signer }: ManifestFacts, { signedBy }: Readings): boolean {
  return isBegunBy(actions, 'captured') && signedBy.product !== '' && signer?.product?.mayCapture === true;
}

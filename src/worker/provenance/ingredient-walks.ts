/**
 * Counts walks of the C2PA reader before it judges: it judges an ingredient anew for each way that leads to
 * it, a million times if two ingredients at each of twenty levels share the manifest below.
 */
import { asList, asObject, type Json } from './hostile-json.ts';

/** A page of fifty pictures with five edits each; some milliseconds a walk. */
export const WALKS_MAX = 256;
/** Manifests of a store, and so of its longest way. */
const MANIFESTS_MAX = 256;

/** The fault after "the manifest"; null if they are few enough. `store` is the reader's JSON of an unjudged store. */
export function walksFault(store: unknown): string | null {
  const json = asObject(store);
  const manifests = new Map(Object.entries(asObject(json.manifests)).map(([key, it]) => [key, asObject(it)]));
  if (manifests.size > MANIFESTS_MAX)
    return `has ${manifests.size} manifests within; at most ${MANIFESTS_MAX} are read`;
  const known = new Map<string, number>();
  const walks = Math.max(0, ...[...manifests.keys()].map((label) => countWalks(manifests, label, known)));
  if (walks <= WALKS_MAX) return null;
  return `is led to by its ingredients in more than ${WALKS_MAX} ways; no more are followed`;
}

/** Walks from a manifest on, itself included; infinite for a circle. */
function countWalks(manifests: ReadonlyMap<string, Json>, label: string, known: Map<string, number>): number {
  const counted = known.get(label);
  if (counted !== undefined) return counted;
  // A way that leads back here meanwhile is a circle.
  known.set(label, Number.POSITIVE_INFINITY);
  let walks = 1;
  for (const { active_manifest: below } of asList(manifests.get(label)?.ingredients).map(asObject)) {
    if (typeof below === 'string' && manifests.has(below)) walks += countWalks(manifests, below, known);
  }
  known.set(label, walks);
  return walks;
}

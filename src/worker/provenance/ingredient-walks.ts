/**
 * How often the C2PA reader will walk through manifests. It judges an ingredient's manifest anew for each way that leads to it: where two
 * ingredients at each of twenty levels share the manifest below, in a file of 400 KB, a million times. Counted before it judges any.
 */
import { asList, asObject, type Json } from './hostile-json.ts';

/** A page of fifty pictures with five edits each; some milliseconds a walk. */
export const WALKS_MAX = 256;
/** In a store, and so on the longest way. */
const MANIFESTS_MAX = 256;

/** In words that follow "the manifest"; null if they are few enough. `store` is the reader's JSON of a store that it has not judged. */
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

/** From a manifest on, itself included; without end where they lead in a circle. */
function countWalks(manifests: ReadonlyMap<string, Json>, label: string, known: Map<string, number>): number {
  const counted = known.get(label);
  if (counted !== undefined) return counted;
  // What leads back here meanwhile is a circle.
  known.set(label, Number.POSITIVE_INFINITY);
  let walks = 1;
  for (const { active_manifest: below } of asList(manifests.get(label)?.ingredients).map(asObject)) {
    if (typeof below === 'string' && manifests.has(below)) walks += countWalks(manifests, below, known);
  }
  known.set(label, walks);
  return walks;
}

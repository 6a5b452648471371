/** The patches that an analysis of a picture asks for, and checks of what the decode child made. Pure. */
import { STABILITY_VARIANTS, type StabilityVariantName } from '../../domain/media/stability.ts';
import type { ImagePack } from '../../domain/packs/model-pack.ts';
import type { PatchSetRequest } from '../../worker/protocol/decode-protocol.ts';
import type { DecodedImage, PatchSet } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';

/** `origin` decides, `map` only draws, so that a verdict is the same with and without a heatmap. */
export type PatchPurpose = 'origin' | 'map' | StabilityVariantName;

export interface PlannedSet {
  pack: ImagePack;
  purpose: PatchPurpose;
  /** One object for packs that look at the same places, whose patches are cut once. */
  request: PatchSetRequest;
}

/** The scaled picture and its middle. */
const RESIZED_VIEWS_MAX = 2;
/** A copy only has to show whether the answer flips. */
const STABILITY_PATCHES_MAX = 8;
/** A video is judged by many frames, so each gets fewer places than a picture. */
const FRAME_PATCHES_MAX = 16;

export interface PlanOptions {
  withMap: boolean;
  withStability: boolean;
  /** For the frames of a video, each of which is looked at in fewer places. */
  ofFrames?: boolean;
}

export function planPatchSets(
  packs: readonly ImagePack[],
  { withMap, withStability, ofFrames = false }: PlanOptions,
): PlannedSet[] {
  const purposes: PatchPurpose[] = [
    'origin',
    ...(withMap ? (['map'] as const) : []),
    ...(withStability ? STABILITY_VARIANTS : []),
  ];
  const mapped = drawerOf(packs);
  const plan = packs.flatMap((pack, index) =>
    purposes
      .filter((purpose) => purpose !== 'map' || pack === mapped)
      .map((purpose) => ({ pack, purpose, request: toRequest(pack, index, { purpose, ofFrames }) })),
  );
  return shareRequests(plan);
}

/** Sets of copies are cut later if the picture's own answer needs them. */
export function isOfCopy({ purpose }: PlannedSet): boolean {
  return purpose !== 'origin' && purpose !== 'map';
}

/** The decode child's work: every set once. */
export function requestsOf(plan: readonly PlannedSet[]): PatchSetRequest[] {
  return [...new Set(plan.map(({ request }) => request))];
}

/** Merges sets of equal content: they are cut once, under the name of the first that asks. */
function shareRequests(plan: readonly PlannedSet[]): PlannedSet[] {
  const first = new Map<string, PatchSetRequest>();
  return plan.map((planned) => {
    const { name: _name, ...content } = planned.request;
    const key = JSON.stringify([planned.purpose, content]);
    const request = first.get(key) ?? planned.request;
    first.set(key, request);
    return { ...planned, request };
  });
}

/** One pack draws the map, since two on one picture could not be read: the one that looks at most places. */
function drawerOf(packs: readonly ImagePack[]): ImagePack | undefined {
  const countOf = ({ view }: ImagePack) => (view.type === 'patches' ? view.mapCountMax : 0);
  return packs
    .filter((pack) => countOf(pack) > 0)
    .reduce<ImagePack | undefined>(
      (most, pack) => (most === undefined || countOf(pack) > countOf(most) ? pack : most),
      undefined,
    );
}

function toRequest(
  { view, refusal }: ImagePack,
  index: number,
  { purpose, ofFrames }: { purpose: PatchPurpose; ofFrames: boolean },
): PatchSetRequest {
  const isCopy = purpose !== 'origin' && purpose !== 'map';
  if (view.type === 'resized') {
    const { size, shortSide, native } = view;
    return {
      name: `${index}-${purpose}`,
      variant: isCopy ? purpose : 'original',
      layout: { size, align: 1, countMax: RESIZED_VIEWS_MAX },
      resized: { size, shortSide, withNative: native !== undefined },
    };
  }
  const { size, align, candidateCountMax, candidateStep, detailShareMin } = view;
  const isMap = purpose === 'map';
  const originMax = Math.min(view.countMax, ofFrames ? FRAME_PATCHES_MAX : view.countMax);
  const stabilityMax = Math.min(STABILITY_PATCHES_MAX, originMax);
  const countMax = isCopy ? stabilityMax : isMap ? view.mapCountMax : originMax;
  return {
    name: `${index}-${purpose}`,
    variant: isCopy ? purpose : 'original',
    layout: { size, align, countMax, ...(isMap ? {} : { candidateCountMax, candidateStep, detailShareMin }) },
    ...(purpose === 'origin' && refusal !== undefined ? { withTexture: true } : {}),
  };
}

/** The set that was made for the plan; undefined if the picture is smaller than a patch. */
export function findPatchSet(
  { patchSets }: Pick<DecodedImage, 'patchSets'>,
  { request }: PlannedSet,
): PatchSet | undefined {
  const set = patchSets.find(({ name }) => name === request.name);
  if (set === undefined) return undefined;
  const { size, countMax } = request.layout;
  // The child has read hostile bytes: more than was asked for would be work without bound.
  if (set.size === size && set.positions.length <= countMax) return set;
  throw new WorkerLostError('broken', 'the decoder made other patches than it was asked for');
}

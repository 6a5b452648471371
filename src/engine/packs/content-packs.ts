/** Packs that look at a picture's content: whether it is safe to show, whose faces are in it, whether it was edited. */
import {
  type FaceDetectorPack,
  type FacePack,
  isFaceDetectorPack,
  isFacePack,
  isNsfwPack,
  isTamperingPack,
  type NsfwPack,
} from '../../domain/packs/model-pack.ts';
import type { TamperingPack } from '../../domain/packs/tampering-pack.ts';
import type { ViewSetRequest } from '../../worker/protocol/decode-protocol.ts';
import type { InstalledPack } from './installed-packs.ts';

export type Found<P> = InstalledPack & { pack: P };

export interface ContentPacks {
  nsfw: Found<NsfwPack>[];
  detector: Found<FaceDetectorPack> | null;
  faces: Found<FacePack>[];
  tampering: Found<TamperingPack>[];
}

/** Those among the keys that are usable; what is not, answers nothing. */
export function contentPacksOf(
  keys: readonly string[],
  findPack: (key: string) => InstalledPack | undefined,
): ContentPacks {
  const packs: ContentPacks = { nsfw: [], detector: null, faces: [], tampering: [] };
  for (const key of keys) {
    const found = findPack(key);
    if (found === undefined) continue;
    const { pack } = found;
    if (isNsfwPack(pack)) packs.nsfw.push({ ...found, pack });
    else if (isFaceDetectorPack(pack)) packs.detector = { ...found, pack };
    else if (isFacePack(pack)) packs.faces.push({ ...found, pack });
    else if (isTamperingPack(pack)) packs.tampering.push({ ...found, pack });
  }
  return packs;
}

/** What the decode child has to make of the picture for them. */
export function viewSetsOf({ nsfw, detector }: ContentPacks): ViewSetRequest[] {
  const packs = detector === null ? nsfw : [...nsfw, detector];
  return packs.map(({ pack }) => toViewSet(pack));
}

export function toViewSet(pack: NsfwPack | FaceDetectorPack): ViewSetRequest {
  const { size, fit, levels, kernel } = pack.view;
  return { name: `view-${pack.id}`, layout: { size, fit, levels }, kernel };
}

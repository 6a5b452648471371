/** The conversions of the first start, as the packs in models/ ask for them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConvertedPack,
  type FaceDetectorPack,
  isConvertedPack,
  type ModelPack,
  modelPackSchema,
  type NsfwPack,
} from '../../src/domain/packs/model-pack.ts';
import { conversionOrder } from '../../src/engine/packs/conversions.ts';

const MODELS = join(import.meta.dirname, '..', '..', 'models');

export function readShippedPack(id: string): ModelPack {
  return modelPackSchema.parse(JSON.parse(readFileSync(descriptionOf(id), 'utf8')));
}

/** All whose model is made at the first start. */
export const CONVERTED_PACKS: readonly ConvertedPack[] = readdirSync(MODELS)
  .filter((id) => existsSync(descriptionOf(id)))
  .map(readShippedPack)
  .filter(isConvertedPack);

export const NSFW_PACK = readShippedPack('nsfw') as NsfwPack;
export const FACE_PACK = readShippedPack('face-detector') as FaceDetectorPack;
export const FACE_ORIGIN_PACK = readConvertedPack('assay-faces');
export const NSFW_ORDER = conversionOrder(NSFW_PACK, 'not written');
export const FACE_ORDER = conversionOrder(FACE_PACK, 'not written');
export const FACE_ORIGIN_ORDER = conversionOrder(FACE_ORIGIN_PACK, 'not written');

function descriptionOf(id: string): string {
  return join(MODELS, id, 'model.json');
}

function readConvertedPack(id: string): ConvertedPack {
  const pack = readShippedPack(id);
  if (!isConvertedPack(pack)) throw new Error(`expected ${id} to be made from a package`);
  return pack;
}

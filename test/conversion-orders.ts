/** The conversions of the first start, as the packs in models/ ask for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConvertedPack, type ModelPack, modelPackSchema } from '../src/domain/model-pack.ts';
import { conversionOrder } from '../src/engine/conversions.ts';

export function readShippedPack(id: string): ModelPack {
  const path = join(import.meta.dirname, '..', 'models', id, 'model.json');
  return modelPackSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

export const NSFW_PACK = readShippedPack('nsfw') as ConvertedPack;
export const FACE_PACK = readShippedPack('face-detector') as ConvertedPack;
export const NSFW_ORDER = conversionOrder(NSFW_PACK, 'not written');
export const FACE_ORDER = conversionOrder(FACE_PACK, 'not written');

/** The packs that come with Assay, read from `models/`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FaceDetectorPack,
  type LabelsPack,
  type ModelPack,
  modelPackSchema,
} from '../../src/domain/packs/model-pack.ts';

const MODELS = join(import.meta.dirname, '..', '..', 'models');

export function readShippedPack(id: string): ModelPack {
  return modelPackSchema.parse(JSON.parse(readFileSync(join(MODELS, id, 'model.json'), 'utf8')));
}

export function modelPathOf({ id, file }: ModelPack): string {
  return join(MODELS, id, file);
}

export const NSFW_PACK = readShippedPack('nsfw') as LabelsPack;
export const FACE_ORIGIN_PACK = readShippedPack('assay-faces');
export const FACE_PACK = readShippedPack('face-detector') as FaceDetectorPack;

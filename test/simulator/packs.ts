/** Two model packs as they are installed, with a real pack's description; their models are never run here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelPack, modelPackSchema, packKey } from '../../src/domain/packs/model-pack.ts';
import type { InstalledPack } from '../../src/engine/packs/installed-packs.ts';

const TEMPLATE = join(import.meta.dirname, '..', '..', 'models', 'assay-transformer', 'model.json');

function packCalled(id: string): InstalledPack {
  const described = JSON.parse(readFileSync(TEMPLATE, 'utf8')) as object;
  const pack: ModelPack = modelPackSchema.parse({ ...described, id });
  const { golden } = pack;
  return {
    pack,
    folder: '/nowhere',
    modelPath: '/nowhere/model.onnx',
    report: {
      ...{ key: packKey(pack), provider: 'cpu', precision: 'full', precisionNote: null, passedOver: [] },
      ...{ fault: null, goldenError: 0, goldenOutputs: golden.expected, loadMs: 1 },
    },
  };
}

export const PACKS: readonly InstalledPack[] = ['first-look', 'second-look'].map(packCalled);

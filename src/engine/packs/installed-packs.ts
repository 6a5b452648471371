/** Finds whole packs in the configured folders. A bad one is a fault in the status, never a reason not to start. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import {
  imageOutputLength,
  isDetectorPack,
  isFaceDetectorPack,
  isImagePack,
  isLabelsPack,
  isSpeechPack,
  isTamperingPack,
  isTranscriptionPack,
  type ModelPack,
  modelPackSchema,
  packKey,
  staysOnCpu,
} from '../../domain/packs/model-pack.ts';
import { describeFault } from '../../domain/packs/schema-fault.ts';
import { tileValues } from '../../domain/packs/tampering-pack.ts';
import type { TranscriptionPack } from '../../domain/packs/transcription-pack.ts';
import { ANCHOR_COUNT, ANCHOR_VALUES } from '../../domain/verdicts/faces.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';

const PROGRAM_MODELS = join(PROGRAM_FOLDER, 'models');
const DETECTOR_FOLDER = join(PROGRAM_MODELS, 'silero-vad');
/** A description is some kilobytes; more is a mistake, and it is parsed in memory. */
const DESCRIPTION_BYTES_MAX = 1024 ** 2;

export interface InstalledPack {
  pack: ModelPack;
  folder: string;
  /** Absolute. */
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

/** Reads every `model.json` one level below the folders, in stable order; the speech detector is found apart. */
export async function findPacks(modelFolders: readonly string[]): Promise<FoundPacks> {
  const found: FoundPacks = { installed: [], refused: [] };
  for (const modelFolder of modelFolders) {
    for (const name of await packNamesIn(modelFolder, found)) {
      const folder = join(modelFolder, name);
      if (resolve(folder) !== DETECTOR_FOLDER) await addPack(found, folder, name);
    }
  }
  return found;
}

/** The speech detector, whatever folders the operator names: without it no speech model can be asked. */
export async function findDetector(): Promise<FoundPacks> {
  const found: FoundPacks = { installed: [], refused: [] };
  await addPack(found, DETECTOR_FOLDER, basename(DETECTOR_FOLDER));
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
    if (codeOf(error) === 'ENOENT') return [];
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

async function addPack(found: FoundPacks, folder: string, name: string): Promise<void> {
  const outcome = await readPack(folder, name);
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

async function readPack(folder: string, name: string): Promise<InstalledPack | RefusedPack | null> {
  try {
    if ((await lstat(folder)).isSymbolicLink()) return refuse(folder, name, 'the folder is a link');
    const pack = parseDescription(await readDescription(folder));
    const fault = findNameFault(pack, name) ?? findPlaceFault(pack, folder);
    if (fault !== null) return { ...about({ pack, folder }), fault };
    if (isTranscriptionPack(pack)) return await readPackage(pack, folder);
    return { pack, folder, modelPath: await checkModel(pack.file, pack.sha256, folder), report: null };
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

/** Null if the pack's npm package may be absent, and is. */
async function readPackage(pack: TranscriptionPack, folder: string): Promise<InstalledPack | null> {
  const files = packageFilesOf(pack);
  if (!(await exists(files.root))) {
    if (pack.package.isOptional) return null;
    throw new Error(`the npm package ${pack.package.name} ${pack.package.version} is not installed`);
  }
  for (const { file, sha256 } of [pack.vocabulary, pack.specialTokens, pack.generation]) {
    await checkModel(file, sha256, files.texts);
  }
  await checkModel(pack.decoder.file, pack.decoder.sha256, files.models);
  return { pack, folder, modelPath: await checkModel(pack.file, pack.sha256, files.models), report: null };
}

export const comesWithAssay = (folder: string): boolean => dirname(resolve(folder)) === PROGRAM_MODELS;

/** Another detector would change where speech is heard, and with it every speech verdict. */
function findPlaceFault(pack: ModelPack, folder: string): string | null {
  if (comesWithAssay(folder)) return null;
  if (isTranscriptionPack(pack)) return 'task: packs whose files lie in an npm package come with Assay only';
  if (!isDetectorPack(pack)) return null;
  return 'task: a speech detector comes with Assay only';
}

/** Returns the path of the model that the pack describes. Throws a sentence if the file is another one. */
async function checkModel(file: string, sha256: string, folder: string): Promise<string> {
  const path = join(folder, file);
  await lstatFile(path, file);
  if ((await hashFile(path)) === sha256) return path;
  throw new Error(`${file} is not the file that model.json describes (SHA-256)`);
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A pack serves until its report says otherwise, so that work is accepted while models load. */
export const isUsable = ({ report }: InstalledPack): boolean => report === null || report.fault === null;

export function toLoadedPack({ pack, modelPath }: Pick<InstalledPack, 'pack' | 'modelPath'>): LoadedPack {
  const { tolerance, expected, items } = pack.golden;
  return {
    key: packKey(pack),
    modelPath,
    modelSha256: pack.sha256,
    input: toInput(pack),
    outputName: pack.output.name,
    outputLength: outputLengthOf(pack),
    golden: { tolerance, expected, items: items ?? expected.length },
    ...(staysOnCpu(pack) ? { staysOnCpu: true } : {}),
    ...(isTranscriptionPack(pack) ? { isCheckedLate: true } : {}),
  };
}

export function outputLengthOf(pack: ModelPack): number {
  if (isTamperingPack(pack)) return tileValues(pack.view);
  if (isLabelsPack(pack)) return pack.output.labels.length;
  if (isImagePack(pack)) return imageOutputLength(pack);
  return isFaceDetectorPack(pack) ? ANCHOR_COUNT * ANCHOR_VALUES : 1;
}

function toTranscriptionInput(pack: TranscriptionPack): LoadedPack['input'] {
  const { models, texts } = packageFilesOf(pack);
  const { heads, headSize } = pack.view;
  return {
    kind: 'transcription',
    name: pack.input.name,
    heads,
    headSize,
    decoderPath: join(models, pack.decoder.file),
    vocabularyPath: join(texts, pack.vocabulary.file),
    specialTokensPath: join(texts, pack.specialTokens.file),
    generationPath: join(texts, pack.generation.file),
  };
}

function toInput(pack: ModelPack): LoadedPack['input'] {
  if (isDetectorPack(pack)) {
    const { frameSamples, contextSamples } = pack.view;
    return { kind: 'speech', name: pack.input.name, frameSamples, contextSamples };
  }
  if (isSpeechPack(pack)) {
    return { kind: 'windows', name: pack.input.name, windowSamples: pack.view.windowSamples };
  }
  if (isTranscriptionPack(pack)) return toTranscriptionInput(pack);
  const { name, mean, std } = pack.input;
  return { kind: 'patches', name, mean, std, size: pack.view.size };
}

interface PackageFiles {
  root: string;
  models: string;
  texts: string;
}

export function packageFilesOf({ package: { name, models, texts } }: TranscriptionPack): PackageFiles {
  const root = join(PROGRAM_FOLDER, 'node_modules', name);
  return { root, models: join(root, models), texts: join(root, texts) };
}

/** With the stream's own 64 KiB most of the time goes into the stream. */
const CHUNK_BYTES = 1024 ** 2;

/** SHA-256, streamed: a model may be larger than what the daemon should hold. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) hash.update(chunk);
  return hash.digest('hex');
}

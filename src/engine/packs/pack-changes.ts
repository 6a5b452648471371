/** A new pack is tried in an inference child of its own before it is renamed to where packs are looked for. */
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { type ModelPack, packKey } from '../../domain/packs/model-pack.ts';
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
import type { InferencePool } from '../inference/inference-pool.ts';
import { type InferenceConfig, InferenceProcess } from '../inference/inference-process.ts';
import { findPacks, type InstalledPack, toLoadedPack } from './installed-packs.ts';
import { benchPack, type PackSpeed } from './pack-bench.ts';
import type { PackShelf } from './pack-shelf.ts';

/** Sub-folders with this prefix are no packs yet; the next start removes those of a dead daemon. */
const STAGE_PREFIX = '.incoming-';
/** Folder of a pack before its id is known. */
const UNNAMED = 'pack';
/** Opening the largest model on a GPU for the first time takes minutes. */
const SELF_TEST_MS_MAX = 600_000;

interface LocalPacks {
  readonly shelf: Pick<PackShelf, 'installed' | 'find'>;
  readonly inferenceConfig: InferenceConfig;
  readonly inference: InferencePool | null;
  reloadPacks(): Promise<void>;
}

export interface PackChangesParts {
  /** `models` of the data folder. */
  folder: string;
  local: LocalPacks;
  /** Called once the inference processes have the packs of a change. */
  reloaded: () => void;
}

/** A folder for the files of one pack; its contents are dropped when it is disposed. */
export interface PackStage extends AsyncDisposable {
  readonly folder: string;
}

export interface InstallOptions {
  /** The golden outputs are recorded here on the CPU, since its makers state none. */
  recordsGolden: boolean;
}

export class PackChanges {
  readonly #parts: PackChangesParts;
  /** One change at a time, since each reloads all processes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: PackChangesParts) {
    this.#parts = parts;
  }

  async sweep(): Promise<void> {
    const names = await readdir(this.#parts.folder).catch(() => []);
    for (const name of names.filter((entry) => entry.startsWith(STAGE_PREFIX))) {
      await rm(join(this.#parts.folder, name), { recursive: true, force: true });
    }
  }

  async stage(): Promise<PackStage> {
    await mkdir(this.#parts.folder, { recursive: true });
    const root = await mkdtemp(join(this.#parts.folder, STAGE_PREFIX));
    const folder = join(root, UNNAMED);
    await mkdir(folder);
    return {
      folder,
      [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
    };
  }

  /** Throws AppError `bad_model` with its fault, or `model_exists`. */
  async install(stage: PackStage, options: InstallOptions, signal: AbortSignal): Promise<ModelPack> {
    return await this.#inTurn(async () => {
      const root = join(stage.folder, '..');
      const id = await readId(stage.folder);
      this.#assertFree(id);
      await rename(stage.folder, join(root, id));
      const staged = await this.#readStaged(root);
      if (options.recordsGolden) await this.#recordGolden(staged, signal);
      const { pack } = options.recordsGolden ? await this.#readStaged(root) : staged;
      await this.#test(toLoadedPack({ ...staged, pack }), this.#parts.local.inferenceConfig, signal);
      signal.throwIfAborted();
      await flushFiles(staged.folder);
      await rename(staged.folder, join(this.#parts.folder, id));
      await flush(this.#parts.folder);
      await this.#reload();
      return pack;
    });
  }

  /** Throws AppError `model` if the data folder has none of that name. */
  async remove(id: string): Promise<ModelPack['id']> {
    return await this.#inTurn(async () => {
      const found = this.#parts.local.shelf.installed.find(({ pack }) => pack.id === id);
      const folder = join(this.#parts.folder, id);
      if (found === undefined) throw new AppError('model', `no such model: ${id}`);
      if (found.folder !== folder) {
        throw new AppError(
          'model',
          `${id} was not added: it lies in ${found.folder}; leave it out of the plans`,
        );
      }
      await using stage = await this.stage();
      await rename(folder, join(stage.folder, id));
      await flush(this.#parts.folder);
      await this.#reload();
      return id;
    });
  }

  async bench(pack: ModelPack, signal: AbortSignal): Promise<PackSpeed> {
    const { inference, shelf } = this.#parts.local;
    const installed = shelf.find(packKey(pack));
    if (inference === null || installed === undefined) {
      throw new AppError('starting', 'the models are not loaded');
    }
    await using stage = await this.stage();
    return await benchPack(inference, installed, stage.folder, signal);
  }

  async #reload(): Promise<void> {
    await this.#parts.local.reloadPacks();
    this.#parts.reloaded();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return await done;
  }

  #assertFree(id: string): void {
    const twin = this.#parts.local.shelf.installed.find(({ pack }) => pack.id === id);
    if (twin === undefined) return;
    const { version } = twin.pack;
    throw new AppError('model_exists', `${id} ${version} is installed in ${twin.folder}; remove it first`);
  }

  async #readStaged(root: string): Promise<InstalledPack> {
    const { installed, refused } = await findPacks([root]);
    const [found] = installed;
    if (found !== undefined) return found;
    throw badModel(refused[0]?.fault ?? 'no pack was found there');
  }

  /** The model's answers here become those that it must give from then on, on every device. */
  async #recordGolden({ pack, folder, ...rest }: InstalledPack, signal: AbortSignal): Promise<void> {
    const loaded = toLoadedPack({ ...rest, pack });
    const trial = { ...loaded, golden: { ...loaded.golden, isRecorded: true } };
    const cpu = { ...this.#parts.local.inferenceConfig, providers: ['cpu'] };
    const { goldenOutputs = [] } = await this.#test(trial, cpu, signal);
    if (!goldenOutputs.every(Number.isFinite)) throw badModel('the model gives outputs that are no numbers');
    const described = { ...pack, golden: { ...pack.golden, expected: goldenOutputs } };
    await writeFile(join(folder, 'model.json'), `${JSON.stringify(described, null, 2)}\n`);
  }

  async #test(loaded: LoadedPack, config: InferenceConfig, signal: AbortSignal): Promise<PackReport> {
    const lost = Promise.withResolvers<never>();
    const observer = {
      childReady() {},
      childSaid() {},
      childLost: (_pid: number | undefined, error: Error) => lost.reject(badModel(error.message)),
    };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(SELF_TEST_MS_MAX)]);
    const onAbort = () =>
      lost.reject(signal.aborted ? signal.reason : badModel('the self-test took too long'));
    bounded.addEventListener('abort', onAbort, { once: true });
    await using child = new InferenceProcess(config, [loaded], observer);
    try {
      const [report] = await Promise.race([child.ready(), lost.promise]);
      if (report === undefined) throw badModel('the self-test gave no answer');
      if (report.fault !== null) throw badModel(report.fault);
      return report;
    } finally {
      bounded.removeEventListener('abort', onAbort);
      lost.promise.catch(() => {});
    }
  }
}

async function readId(folder: string): Promise<string> {
  try {
    const described = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')) as { id?: unknown };
    // Checked first, since it becomes a folder's name.
    if (typeof described.id === 'string' && /^[a-z0-9][a-z0-9-]{1,63}$/.test(described.id))
      return described.id;
  } catch (error) {
    const found = error instanceof SyntaxError ? 'no JSON' : 'no such file';
    throw badModel(`model.json: expected the description of a pack, found ${found}`);
  }
  throw badModel('model.json: id: expected small letters, digits and dashes');
}

const badModel = (sentence: string): AppError => new AppError('bad_model', sentence);

/** A pack that is found after a loss of power must be whole. */
async function flushFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await flush(join(folder, name));
  await flush(folder);
}

async function flush(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

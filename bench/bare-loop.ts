/**
 * What an analysis cannot do without, in one process and nothing around it: decode, cut the same patches, make the
 * same stability copies if the answer needs them, run the same models. No upload, no store, no isolation, no provenance, no record.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImagePack, isImagePack } from '../src/domain/packs/model-pack.ts';
import { isClear } from '../src/domain/packs/stability-reach.ts';
import { calibrate } from '../src/engine/analyses/calibration.ts';
import { isOfCopy, type PlannedSet, planPatchSets } from '../src/engine/analyses/image-patches.ts';
import { splitMedia } from '../src/engine/analyses/image-runs.ts';
import { DECODE_LIMITS } from '../src/engine/decode/decode-limits.ts';
import { findPacks, toLoadedPack } from '../src/engine/packs/installed-packs.ts';
import { makePatch, makeTables, writePlanes } from '../src/worker/inference/item-source.ts';
import { PackSession } from '../src/worker/inference/pack-session.ts';
import type { Picture } from '../src/worker/media/picture.ts';
import { readHeader } from '../src/worker/pictures/header.ts';
import { cutRegion } from '../src/worker/pictures/picture-region.ts';
import { decodePixels } from '../src/worker/pictures/pixels.ts';
import type { PatchSetRequest } from '../src/worker/protocol/decode-protocol.ts';
import { choosePatches } from '../src/worker/steps/patch-detail.ts';
import { copyPatches } from '../src/worker/steps/patches.ts';
import { inParallel } from './in-parallel.ts';
import { timeWork, type WorkTime } from './timed-work.ts';

const MODELS = join(import.meta.dirname, '..', 'models');
const BATCH = 8;
const CORES = availableParallelism();
const CPU = { provider: 'cpu', precision: 'full' } as const;

export interface Model {
  pack: ImagePack;
  session: PackSession;
  tables: ReturnType<typeof makeTables>;
}

/** The image packs that the appliance judges a picture's origin with. */
export async function openModels(): Promise<Model[]> {
  const { installed } = await findPacks([MODELS]);
  const models: Model[] = [];
  for (const found of installed) {
    const { pack } = found;
    const loaded = toLoadedPack(found);
    if (!isImagePack(pack) || pack.task !== 'image-origin' || loaded.input.kind !== 'patches') continue;
    const options = { threads: CORES, batchMax: BATCH };
    const session = await PackSession.open({ ...loaded, input: loaded.input }, CPU, options);
    models.push({ pack, session, tables: makeTables(pack.input) });
  }
  if (models.length === 0) throw new Error('there is no image pack');
  return models;
}

export class BareLoop implements AsyncDisposable {
  readonly #models: readonly Model[];
  readonly #folder: string;
  readonly #paths: string[];
  /** A session computes one batch at a time, as in the appliance. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(models: readonly Model[], folder: string, paths: string[]) {
    this.#models = models;
    this.#folder = folder;
    this.#paths = paths;
  }

  static async open(photos: readonly Buffer[]): Promise<BareLoop> {
    const models = await openModels();
    const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
    const paths = photos.map((bytes, index) => {
      const path = join(folder, `${index}.jpg`);
      writeFileSync(path, bytes);
      return path;
    });
    return new BareLoop(models, folder, paths);
  }

  /** As many pictures are decoded at once as the appliance has slots. */
  async run({ withStability }: { withStability: boolean }): Promise<WorkTime> {
    const packs = this.#models.map(({ pack }) => pack);
    const plan = planPatchSets(packs, { withMap: false, withStability });
    return await timeWork(null, () =>
      inParallel(this.#paths, 2 * CORES, (path) => this.#classify(path, plan)),
    );
  }

  async #classify(path: string, plan: readonly PlannedSet[]): Promise<void> {
    const { picture } = await decodePixels(await readHeader(path, DECODE_LIMITS));
    const logits = await this.#judge(
      picture,
      plan.filter((set) => !isOfCopy(set)),
    );
    const answers = [...logits].map(([{ pack }, logit]) => ({
      run: { unknown: false, logOdds: calibrate(pack, logit) },
      reach: pack.stability,
    }));
    const needed = plan.filter((set) => {
      const { purpose } = set;
      return purpose !== 'origin' && purpose !== 'map' && !isClear(answers, purpose);
    });
    if (needed.length > 0) await this.#judge(picture, needed);
  }

  /** Each model's mean output. */
  async #judge(picture: Picture, plan: readonly PlannedSet[]): Promise<Map<Model, number>> {
    const patches = new Map<Model, Buffer[]>(this.#models.map((model) => [model, []]));
    const cut = new Map<PatchSetRequest, Buffer[]>();
    for (const { pack, request } of plan) {
      const own = cut.get(request) ?? (await cutAll(picture, request));
      cut.set(request, own);
      for (const [model, wanted] of patches) if (model.pack === pack) wanted.push(...own);
    }
    const turn = this.#turn.then(() => inferAll(patches));
    this.#turn = turn.then(() => {});
    return await turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.#models) await session.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The patches of a request, of the picture or of its copy; none if the copy is too small. */
export async function cutAll(
  picture: Picture,
  { variant, layout }: Pick<PatchSetRequest, 'variant' | 'layout'>,
): Promise<Buffer[]> {
  const { size } = layout;
  const places = choosePatches(picture, layout);
  if (variant === 'original')
    return places.map((place) => cutRegion(picture, { ...place, width: size, height: size }).rgb);
  const copies = await copyPatches(picture, places, { size, variant });
  const bytes = size * size * 3;
  return copies === null ? [] : places.map((_, index) => copies.subarray(index * bytes, (index + 1) * bytes));
}

/** Each model's mean output. */
export async function inferAll(patches: ReadonlyMap<Model, Buffer[]>): Promise<Map<Model, number>> {
  const means = new Map<Model, number>();
  for (const [model, own] of patches) means.set(model, await infer(model, own));
  return means;
}

async function infer({ pack, session, tables }: Model, patches: readonly Buffer[]): Promise<number> {
  let sum = 0;
  const room = makePatch(pack.view.size);
  for (let first = 0; first < patches.length; first += BATCH) {
    const batch = patches.slice(first, first + BATCH);
    for (const [index, patch] of batch.entries()) {
      room.bytes.set(patch);
      writePlanes(room, tables, session.place(0), index);
    }
    const { logits } = splitMedia(pack, await session.run(batch.length));
    for (const logit of logits) sum += logit;
  }
  return sum / patches.length;
}

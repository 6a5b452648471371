/**
 * What an analysis cannot do without, in one process and nothing around it: decode, cut the same patches, make the
 * same stability copies, run the same model. No upload, no store, no isolation, no provenance, no record.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImagePack, isImagePack } from '../src/domain/model-pack.ts';
import { placePatches } from '../src/domain/patches.ts';
import { DECODE_LIMITS } from '../src/engine/analyse-image.ts';
import { planPatchSets } from '../src/engine/image-patches.ts';
import { findPacks, toLoadedPack } from '../src/engine/packs.ts';
import { PackSession } from '../src/worker/inference/pack-session.ts';
import { makeTables, writePlanes } from '../src/worker/inference/tensor-layout.ts';
import type { PatchSetRequest } from '../src/worker/protocol.ts';
import { readHeader } from '../src/worker/steps/header.ts';
import { decodePixels, type Picture } from '../src/worker/steps/pixels.ts';
import { VariantCopies } from '../src/worker/steps/stability-copies.ts';
import { inParallel } from './in-parallel.ts';

const MODELS = join(import.meta.dirname, '..', 'models');
const BATCH = 8;
const CORES = availableParallelism();

export class BareLoop implements AsyncDisposable {
  readonly #session: PackSession;
  readonly #pack: ImagePack;
  readonly #tables: Float32Array[];
  readonly #folder: string;
  readonly #paths: string[];
  /** A session computes one batch at a time, as in the appliance. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(session: PackSession, pack: ImagePack, folder: string, paths: string[]) {
    this.#session = session;
    this.#pack = pack;
    this.#tables = makeTables(pack.input);
    this.#folder = folder;
    this.#paths = paths;
  }

  static async open(photos: readonly Buffer[]): Promise<BareLoop> {
    const { installed } = await findPacks([MODELS]);
    const pack = installed.map((found) => found.pack).find(isImagePack);
    const found = installed.find((one) => one.pack === pack);
    const loaded = found === undefined ? undefined : toLoadedPack(found);
    if (pack === undefined || loaded?.input.kind !== 'patches') throw new Error('there is no image pack');
    const session = await PackSession.open({ ...loaded, input: loaded.input }, 'cpu', {
      threads: CORES,
      batchMax: BATCH,
    });
    const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
    const paths = photos.map((bytes, index) => {
      const path = join(folder, `${index}.jpg`);
      writeFileSync(path, bytes);
      return path;
    });
    return new BareLoop(session, pack, folder, paths);
  }

  /** Pictures per second. As many are decoded at once as the appliance has slots. */
  async run({ withStability }: { withStability: boolean }): Promise<number> {
    const plan = planPatchSets([this.#pack], { withMap: false, withStability });
    const requests = plan.map(({ request }) => request);
    const startedAt = performance.now();
    await inParallel(this.#paths, 2 * CORES, (path) => this.#classify(path, requests));
    return this.#paths.length / ((performance.now() - startedAt) / 1000);
  }

  async #classify(path: string, requests: readonly PatchSetRequest[]): Promise<void> {
    const { picture } = await decodePixels(await readHeader(path, DECODE_LIMITS));
    const patches: Buffer[] = [];
    for (const { variant, layout } of requests) {
      const copy = variant === 'original' ? picture : await new VariantCopies(picture, variant).for({});
      for (const place of placePatches(copy.width, copy.height, layout)) {
        patches.push(cutPatch(copy, place, layout.size));
      }
    }
    const turn = this.#turn.then(() => this.#infer(patches));
    this.#turn = turn;
    await turn;
  }

  async #infer(patches: readonly Buffer[]): Promise<void> {
    for (let first = 0; first < patches.length; first += BATCH) {
      const batch = patches.slice(first, first + BATCH);
      for (const [index, patch] of batch.entries()) this.#fill(patch, index);
      await this.#session.run(batch.length);
    }
  }

  #fill(patch: Buffer, index: number): void {
    const { size } = this.#pack.view;
    writePlanes(patch, this.#tables, size, this.#session.place(0), index);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function cutPatch({ width, rgb }: Picture, { x, y }: { x: number; y: number }, size: number): Buffer {
  const patch = Buffer.allocUnsafe(size * size * 3);
  for (let row = 0; row < size; row++) {
    const start = ((y + row) * width + x) * 3;
    rgb.copy(patch, row * size * 3, start, start + size * 3);
  }
  return patch;
}

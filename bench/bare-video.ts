/**
 * What the analysis of a video cannot do without, in one process: find and decode the same frames, make pictures of
 * them, cut the same patches, run the same models. No upload, store, isolation, stored frames or record.
 */

import { type PlannedSet, planPatchSets } from '../src/engine/analyses/image-patches.ts';
import { DECODE_LIMITS } from '../src/engine/decode/decode-limits.ts';
import { assertFrameBounds, toUprightPicture } from '../src/worker/libav/frame-picture.ts';
import { PlayedFrames } from '../src/worker/libav/played-frames.ts';
import type { Picture } from '../src/worker/media/picture.ts';
import type { PatchSetRequest } from '../src/worker/protocol/decode-protocol.ts';
import { spreadEvenly } from '../src/worker/steps/frame-choice.ts';
import { VideoFile } from '../src/worker/steps/video-file.ts';
import { cutAll, inferAll, type Model, openModels } from './bare-loop.ts';
import { timeWork, type WorkTime } from './timed-work.ts';

/** Seconds to find and decode evenly spread frames, and, if wanted, to make pictures of them. */
export async function walkFrames(
  path: string,
  count: number,
  take: ((picture: Picture) => Promise<void>) | null,
): Promise<number> {
  const startedAt = performance.now();
  using file = await VideoFile.open(path);
  using frames = new PlayedFrames(file.played);
  for (const time of spreadEvenly(count, file.played)) {
    const shown = frames.frameAt(time);
    if (shown === null) throw new Error(`there is no frame at ${time} seconds`);
    if (take === null) continue;
    assertFrameBounds(shown.frame, shown.display, DECODE_LIMITS);
    await take(toUprightPicture(shown.frame, shown.display));
  }
  return (performance.now() - startedAt) / 1000;
}

export class BareVideo implements AsyncDisposable {
  readonly #models: readonly Model[];

  private constructor(models: readonly Model[]) {
    this.#models = models;
  }

  static async open(): Promise<BareVideo> {
    return new BareVideo(await openModels());
  }

  /** Judges one video after the other. */
  async run(paths: readonly string[], frames: number): Promise<WorkTime> {
    const packs = this.#models.map(({ pack }) => pack);
    const plan = planPatchSets(packs, { withMap: false, withStability: false, ofFrames: true });
    return await timeWork(null, async () => {
      for (const path of paths) await this.#judge(path, frames, plan);
    });
  }

  async #judge(path: string, frames: number, plan: readonly PlannedSet[]): Promise<void> {
    const patches = new Map<Model, Buffer[]>(this.#models.map((model) => [model, []]));
    await walkFrames(path, frames, async (picture) => {
      const cut = new Map<PatchSetRequest, Promise<Buffer[]>>();
      for (const { pack, request } of plan) {
        const own = cut.get(request) ?? cutAll(picture, request);
        cut.set(request, own);
        for (const [model, wanted] of patches) if (model.pack === pack) wanted.push(...(await own));
      }
    });
    await inferAll(patches);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.#models) await session.release();
  }
}

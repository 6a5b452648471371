/** Judges each frame of a video as soon as it is written: the models run while the child decodes on. */
import type { ImagePack } from '../../domain/packs/model-pack.ts';
import { NO_PROVENANCE } from '../../domain/provenance/provenance.ts';
import type { FrameResult, ImageResult } from '../../domain/verdicts/result.ts';
import type { DecodedFrame } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { judgeAxes } from './axes.ts';
import type { Axis } from './axis.ts';
import type { PlannedSet } from './image-patches.ts';
import { type Answer, inferPatches, type QueuedPack, toImageRuns } from './image-runs.ts';
import { UNNAMED } from './part-names.ts';

export interface JudgedFrame {
  frame: DecodedFrame;
  answers: Answer[];
  result: FrameResult;
}

export interface FrameWork {
  slot: AnalysisSlot;
  packs: QueuedPack<ImagePack>[];
  axes: Axis[];
  plan: PlannedSet[];
}

export function frameName(index: number): string {
  return `frame-${index}.png`;
}

export class FrameJudge {
  readonly #parts: AnalysisParts;
  readonly #attempt: Attempt;
  readonly #work: FrameWork;
  readonly #onJudged: (result: FrameResult) => void;
  readonly #judging: Promise<JudgedFrame>[] = [];
  #isOverfull = false;

  /** `onJudged` is called after each frame, in the order in which the models end. */
  constructor(
    parts: AnalysisParts,
    attempt: Attempt,
    work: FrameWork,
    onJudged: (result: FrameResult) => void,
  ) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#work = work;
    this.#onJudged = onJudged;
  }

  /** Begins to judge a frame; never throws. */
  take(frame: DecodedFrame): void {
    const index = this.#judging.length;
    // The child has read hostile bytes, so it may write only as many frames as were asked for.
    this.#isOverfull ||= index >= this.#attempt.analysis.options.frames;
    if (this.#isOverfull) return;
    const { likeness, timeSeconds } = frame;
    if (likeness !== null) this.#attempt.seen({ likeness, timeSeconds });
    const judging = this.#judge(frame, index);
    // Its fault is met in `finish`.
    judging.catch(() => {});
    this.#judging.push(judging);
  }

  /** In the frames' order. Waits even if the decoding failed, since the files vanish with the slot. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#judging);
  }

  async finish(): Promise<JudgedFrame[]> {
    await this.settle();
    if (this.#isOverfull) {
      throw new WorkerLostError('broken', 'the decoder made more frames than it was asked for');
    }
    return await Promise.all(this.#judging);
  }

  async #judge(frame: DecodedFrame, index: number): Promise<JudgedFrame> {
    const { slot, packs, axes: all, plan } = this.#work;
    const { analysis, signal } = this.#attempt;
    const axes = all.filter(({ asksChild }) => !asksChild);
    const answers = await inferPatches(this.#parts, slot, { picture: frame, plan, signal }, () => {});
    const place = { slot, picture: frame, input: frame.file, folder: 'out', axes } as const;
    const found = await judgeAxes(this.#parts, this.#attempt, place, () => {});
    const { timeSeconds, picture, hash, sizeBytes, width, height } = frame;
    const file = frameName(index);
    using png = slot.openOut(frame.file);
    await this.#parts.store.artifacts.put(analysis.id, file, png);
    const image: ImageResult = {
      kind: 'image',
      mime: 'image/png',
      width,
      height,
      pages: 1,
      ...found,
      runs: [...toImageRuns(packs, frame, answers, 'origin'), ...found.runs],
      provenance: NO_PROVENANCE,
      stability: [],
      quality: { shortSide: Math.min(width, height), jpegQuality: null, truncated: false },
      hasHeatmap: false,
    };
    const further = picture === undefined ? {} : { picture };
    const result = { identifier: UNNAMED, timeSeconds, ...further, file, hash, sizeBytes, image };
    this.#onJudged(result);
    return { frame, answers, result };
  }
}

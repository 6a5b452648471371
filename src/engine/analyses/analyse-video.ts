/** Analyses a video while it is decoded. Frames and track are kept: readers see and hear what was judged. */

import { SOUND_SECONDS_MAX } from '../../domain/limits.ts';
import { frameHeatmapFile } from '../../domain/media/heatmap.ts';
import { type FaceDetectorPack, isFaceDetectorPack } from '../../domain/packs/model-pack.ts';
import { poolViewAnswers } from '../../domain/packs/view-axes.ts';
import { NO_PROVENANCE } from '../../domain/provenance/provenance.ts';
import { completeOptions } from '../../domain/records/options.ts';
import type { ProgressStep } from '../../domain/records/progress-steps.ts';
import type { FrameResult, TrackResult, VideoResult } from '../../domain/verdicts/result.ts';
import { type Findings, NO_FINDINGS } from '../../domain/verdicts/tentative.ts';
import { poolFrames } from '../../domain/verdicts/video-verdict.ts';
import type { ChosenFrames, FrameChoice } from '../../worker/protocol/decode-protocol.ts';
import type { DecodedTrack, DecodedVideo } from '../../worker/protocol/decoded-media.ts';
import { DECODE_LIMITS } from '../decode/decode-limits.ts';
import type { AnalysisSlot, DecodeProgress } from '../decode/decode-slot.ts';
import { placeOriginal } from '../decode/place-original.ts';
import { hearInSlot } from './analyse-audio.ts';
import { drawHeatmap } from './analyse-image.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { judgeAxes, openAxes } from './axes.ts';
import { chooseFaceFrames } from './face-frames.ts';
import { FrameJudge, type FrameWork, type JudgedFrame } from './frame-judge.ts';
import { planPatchSets, requestsOf } from './image-patches.ts';
import { findMap, framePacksOf } from './image-runs.ts';
import { UNNAMED } from './part-names.ts';
import type { SpeechFindings } from './sound-work.ts';
import { timed } from './timed-parts.ts';

const TRACK_NAME = 'track.flac';

interface Job extends FrameWork {
  /** Finds frames that show a face, if such frames are preferred. */
  faceFinder: FaceDetectorPack | undefined;
  progress: VideoProgress;
}

export async function analyseVideo(parts: AnalysisParts, attempt: Attempt): Promise<VideoResult> {
  const { signal } = attempt;
  return await parts.decodePool.run('analysis', (slot) => analyseInSlot(parts, attempt, slot), { signal });
}

async function analyseInSlot(
  parts: AnalysisParts,
  attempt: Attempt,
  slot: AnalysisSlot,
): Promise<VideoResult> {
  const { options } = attempt.analysis;
  const job = openJob(parts, attempt, slot);
  const { video, frames } = await timed(parts, 'frames', () => takeFrames(parts, attempt, job));
  const tracks = video.track === null ? [] : [await judgeTrack(parts, attempt, job, video.track)];
  const runs = [
    ...poolFrames(frames.map(({ image }) => image.runs)),
    ...tracks.flatMap(({ audio }) => audio.runs),
  ];
  const { mime, width, height, durationSeconds, damagedFrames, picturesLeftOut, provenance, marks } = video;
  return {
    kind: 'video',
    mime,
    width,
    height,
    durationSeconds,
    frames,
    damagedFrames,
    ...(picturesLeftOut === 0 ? {} : { picturesNotJudged: picturesLeftOut }),
    tracks,
    withTrack: options.withAudio,
    runs,
    ...poolViewAnswers(frames.map(({ image }) => image)),
    provenance,
    marks,
  };
}

function openJob(parts: AnalysisParts, attempt: Attempt, slot: AnalysisSlot): Job {
  const { models, options } = attempt.analysis;
  const packs = framePacksOf(models, parts.findPack);
  const axes = openAxes(attempt.analysis, parts.findPack, 'frame');
  const detector = models.flatMap((key) => parts.findPack(key)?.pack ?? []).find(isFaceDetectorPack);
  const faceFinder = options.ensureFacePerFrame ? detector : undefined;
  const plan = planPatchSets(
    packs.flatMap(({ found }) => found?.pack ?? []),
    { withMap: options.withHeatmap, withStability: false, ofFrames: true },
  );
  const late = axes.filter(({ asksChild }) => asksChild);
  const perFrame = late.length + (options.withHeatmap ? 1 : 0);
  const progress = new VideoProgress(attempt, { perFrame });
  return { slot, packs, axes, plan, faceFinder, progress };
}

/** Decodes and judges at once; work that needs the child again follows the decoding. */
async function takeFrames(
  parts: AnalysisParts,
  attempt: Attempt,
  job: Job,
): Promise<{ video: DecodedVideo; frames: FrameResult[] }> {
  const judge = new FrameJudge(parts, attempt, job, (result) => job.progress.judged(result));
  try {
    const video = await timed(parts, 'decode', () => decode(parts, attempt, job, judge));
    const judged = await judge.finish();
    return { video, frames: await completeFrames(parts, attempt, job, judged) };
  } finally {
    await judge.settle();
  }
}

async function decode(
  parts: AnalysisParts,
  attempt: Attempt,
  job: Job,
  judge: FrameJudge,
): Promise<DecodedVideo> {
  const { store, trust, decodeTimeoutMs, videoDecoder: decoder } = parts;
  const { analysis, signal } = attempt;
  const { slot, axes, plan, progress } = job;
  const input = await timed(parts, 'copy', () =>
    placeOriginal(slot, store.blobs, { hash: analysis.hash, signal }),
  );
  const frames = await chooseFrames(parts, attempt, job, input);
  const { video } = await slot.request(
    {
      type: 'decode-video',
      input,
      limits: DECODE_LIMITS,
      trust,
      frames,
      decoder,
      patchSets: [...requestsOf(plan), ...axes.flatMap(({ patchSets = [] }) => patchSets)],
      viewSets: axes.flatMap(({ viewSets = [] }) => viewSets),
      withTrack: analysis.options.withAudio,
      soundSecondsMax: SOUND_SECONDS_MAX,
    },
    {
      signal,
      timeoutMs: decodeTimeoutMs,
      onProgress: (step) => progress.decoding(step),
      onFrame: (frame) => judge.take(frame),
    },
  );
  parts.videoDecoded(video.decoder);
  return video;
}

async function chooseFrames(
  parts: AnalysisParts,
  attempt: Attempt,
  { slot, faceFinder, progress }: Job,
  input: string,
): Promise<FrameChoice> {
  const { frames, keyFrames, keyFramesMethod } = attempt.analysis.options;
  const choice: ChosenFrames = { method: keyFrames ? keyFramesMethod : 'even', countMax: frames };
  if (faceFinder === undefined) return choice;
  const onProgress = (step: DecodeProgress) => progress.decoding(step);
  const work = { slot, input, choice, detector: faceFinder, onProgress };
  return await timed(parts, 'faces', () => chooseFaceFrames(parts, attempt, work));
}

/** Runs the steps that need the decode child again after all frames: faces are cut out, maps are drawn. */
async function completeFrames(
  parts: AnalysisParts,
  attempt: Attempt,
  work: Job,
  judged: readonly JudgedFrame[],
): Promise<FrameResult[]> {
  const complete: FrameResult[] = [];
  for (const [index, frame] of judged.entries()) {
    const result = await addAxes(parts, attempt, work, frame);
    complete.push(await addHeatmap(parts, attempt, work, { ...frame, result, index }));
  }
  return complete;
}

async function addAxes(
  parts: AnalysisParts,
  attempt: Attempt,
  { slot, axes: all, progress }: Job,
  { frame, result }: JudgedFrame,
): Promise<FrameResult> {
  const axes = all.filter(({ asksChild }) => asksChild);
  const place = { slot, picture: frame, input: frame.file, folder: 'out', axes } as const;
  const { image } = result;
  const found = await judgeAxes(parts, attempt, place, ({ step }) => progress.advance(step), image);
  return { ...result, image: { ...image, ...found } };
}

async function addHeatmap(
  parts: AnalysisParts,
  attempt: Attempt,
  { slot, progress }: Job,
  { frame, answers, result, index }: JudgedFrame & { index: number },
): Promise<FrameResult> {
  const map = findMap(answers, result.image.runs);
  if (map === undefined) return result;
  const picture = { input: frame.file, folder: 'out', map, name: frameHeatmapFile(index) } as const;
  await timed(parts, 'heatmap', () => drawHeatmap(parts, attempt, slot, picture));
  progress.advance('heatmap');
  return { ...result, image: { ...result.image, hasHeatmap: true } };
}

async function judgeTrack(
  parts: AnalysisParts,
  { analysis, signal }: Attempt,
  { slot, progress }: Job,
  { file, hash, sizeBytes, sound }: DecodedTrack,
): Promise<TrackResult> {
  const { models, options } = analysis;
  const { transcriptLanguage: language } = completeOptions(options);
  const found = (part: SpeechFindings) => progress.speech(part);
  const heard = await hearInSlot(parts, slot, { sound, models, language, signal, found });
  using track = slot.openOut(file);
  await parts.store.artifacts.put(analysis.id, TRACK_NAME, track);
  progress.advance('speech');
  const rest = { kind: 'audio', mime: 'audio/flac', damaged: false, provenance: NO_PROVENANCE } as const;
  return {
    identifier: UNNAMED,
    file: TRACK_NAME,
    hash,
    sizeBytes,
    audio: { ...rest, ...heard },
  };
}

/** Progress and findings of a video's analysis: judged frames, then the steps that follow. */
class VideoProgress {
  readonly #attempt: Attempt;
  /** Steps that follow for each frame, and for the track. */
  readonly #perFrame: number;
  readonly #trackSteps: number;
  #frames: number;
  #judged = 0;
  #followed = 0;
  #findings: Findings = NO_FINDINGS;

  constructor(attempt: Attempt, { perFrame }: { perFrame: number }) {
    const { frames, withAudio } = attempt.analysis.options;
    this.#attempt = attempt;
    this.#perFrame = perFrame;
    this.#trackSteps = withAudio ? 1 : 0;
    this.#frames = frames;
  }

  /** The child's own units do not count, but it knows how many frames there are. */
  decoding({ step, total }: Pick<DecodeProgress, 'step' | 'total'>): void {
    if (step === 'frames') this.#frames = Math.max(1, Math.min(total, this.#attempt.analysis.options.frames));
    this.#report(step);
  }

  judged({ timeSeconds, image }: FrameResult): void {
    this.#judged += 1;
    const frames = [...this.#findings.frames, { timeSeconds, runs: image.runs }];
    this.#found('frames', { ...this.#findings, frames });
  }

  speech(found: SpeechFindings): void {
    this.#found('speech', { ...this.#findings, ...found });
  }

  advance(step: ProgressStep): void {
    this.#followed += 1;
    this.#report(step);
  }

  #found(step: ProgressStep, findings: Findings): void {
    this.#findings = findings;
    this.#attempt.found(findings);
    this.#report(step);
  }

  #report(step: ProgressStep): void {
    const total = this.#frames * (1 + this.#perFrame) + this.#trackSteps;
    this.#attempt.report({ step, done: Math.min(total, this.#judged + this.#followed), total });
  }
}

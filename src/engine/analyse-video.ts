/**
 * The analysis of a video: a decode child chooses frames and writes each as a picture with its patches; every frame
 * is judged as a picture is, all of them as one stream of batches, and the track as a recording is. Frames and
 * track are kept as artifacts, so that a reader can see and hear what was judged.
 */

import { SOUND_SECONDS_MAX } from '../domain/limits.ts';
import type { ImagePack } from '../domain/model-pack.ts';
import type { AnalysisOptions } from '../domain/options.ts';
import { NO_PROVENANCE } from '../domain/provenance.ts';
import type { FrameResult, ImageResult, TrackResult, VideoResult } from '../domain/result.ts';
import { poolFrames } from '../domain/video-verdict.ts';
import type { DecodedFrame, DecodedTrack, DecodedVideo, FrameChoice } from '../worker/protocol.ts';
import { hearInSlot } from './analyse-audio.ts';
import { type AnalysisParts, type Attempt, cutFaces, DECODE_LIMITS, timed } from './analyse-image.ts';
import { type ContentPacks, contentPacksOf, viewSetsOf } from './content-packs.ts';
import { judgeFaces, measureNsfw } from './content-runs.ts';
import type { DecodeSlot } from './decode-slot.ts';
import { type PlannedSet, planPatchSets } from './image-patches.ts';
import { imagePacksOf, inferPatches, type QueuedPack, StepCount, toImageRuns } from './image-runs.ts';
import { WorkerLostError } from './worker-errors.ts';

export const TRACK_NAME = 'track.flac';

export function frameName(index: number): string {
  return `frame-${index}.png`;
}

interface Job {
  slot: DecodeSlot;
  packs: QueuedPack<ImagePack>[];
  content: ContentPacks;
  plan: PlannedSet[];
  steps: StepCount;
}

export async function analyseVideo(parts: AnalysisParts, attempt: Attempt): Promise<VideoResult> {
  const { signal } = attempt;
  return await parts.decodePool.run('analysis', (slot) => analyseInSlot(parts, attempt, slot), { signal });
}

async function analyseInSlot(parts: AnalysisParts, attempt: Attempt, slot: DecodeSlot): Promise<VideoResult> {
  const { analysis, report } = attempt;
  const { options } = analysis;
  const packs = imagePacksOf(analysis.models, parts.findPack);
  const plan = planPatchSets(
    packs.flatMap(({ found }) => found?.pack ?? []),
    { withMap: false, withStability: false },
  );
  const steps = new StepCount(options.frames + (options.withAudio ? 1 : 0), report);
  const content = contentPacksOf(analysis.models, parts.findPack);
  const job: Job = { slot, packs, content, plan, steps };
  const video = await timed(parts, 'decode', () => decode(parts, attempt, job));
  steps.decoded();
  const frames = await timed(parts, 'infer', () => judgeFrames(parts, attempt, job, video.frames));
  const tracks = video.track === null ? [] : [await judgeTrack(parts, attempt, job, video.track)];
  const runs = [
    ...poolFrames(frames.map(({ image }) => image.runs)),
    ...tracks.flatMap(({ audio }) => audio.runs),
  ];
  const { mime, width, height, durationSeconds, damagedFrames, provenance } = video;
  return {
    ...{ kind: 'video', mime, width, height, durationSeconds, frames, damagedFrames, tracks },
    ...{ withTrack: options.withAudio, runs, nsfw: leastSafe(frames), provenance },
  };
}

async function decode(
  { store, trustAnchorsPem, decodeTimeoutMs }: AnalysisParts,
  { analysis, signal }: Attempt,
  { slot, content, plan, steps }: Job,
): Promise<DecodedVideo> {
  const { options } = analysis;
  const input = await slot.placeInput(store.blobs.pathOf(analysis.hash));
  let taken = 0;
  const { video } = await slot.request(
    {
      ...{ type: 'decode-video', input, limits: DECODE_LIMITS, trustAnchorsPem, frames: choiceOf(options) },
      ...{ patchSets: plan.map(({ request }) => request), viewSets: viewSetsOf(content) },
      withTrack: options.withAudio,
      soundSecondsMax: SOUND_SECONDS_MAX,
    },
    {
      ...{ signal, timeoutMs: decodeTimeoutMs },
      // Choosing frames and reading sound count in units of their own; the bar is told of frames.
      onProgress({ step, done }) {
        if (step === 'frames') taken = done;
        steps.decoding({ step, done: taken, total: options.frames });
      },
    },
  );
  // The child has read hostile bytes: more than was asked for would be work without bound.
  if (video.frames.length <= options.frames) return video;
  throw new WorkerLostError('broken', 'the decoder made more frames than it was asked for');
}

function choiceOf({ frames, keyFrames, keyFramesMethod }: AnalysisOptions): FrameChoice {
  return { method: keyFrames ? keyFramesMethod : 'even', countMax: frames };
}

/** All frames are asked for at once, so that the batches are full across frames. */
async function judgeFrames(
  parts: AnalysisParts,
  attempt: Attempt,
  job: Job,
  frames: readonly DecodedFrame[],
): Promise<FrameResult[]> {
  const work = frames.map((frame, index) => judgeFrame(parts, attempt, job, frame, index));
  // Waits for all even where one fails: their files vanish with the slot.
  await Promise.allSettled(work);
  const judged = await Promise.all(work);
  if (job.content.detector === null) return judged;
  const complete: FrameResult[] = [];
  // One after the other: the slot's child cuts faces out of one frame at a time.
  for (const [index, frame] of frames.entries()) {
    const result = judged[index];
    if (result !== undefined) complete.push(await addFaces(parts, attempt, job, frame, result));
  }
  return complete;
}

async function addFaces(
  parts: AnalysisParts,
  { signal }: Attempt,
  { slot, content }: Job,
  frame: DecodedFrame,
  result: FrameResult,
): Promise<FrameResult> {
  const work = { picture: frame, packs: content, signal };
  const { detections, runs } = await judgeFaces(parts, slot, work, (faces) =>
    cutFaces(slot, { ...faces, folder: 'out', input: frame.file, signal }),
  );
  const { image } = result;
  return { ...result, image: { ...image, detections, runs: [...image.runs, ...runs] } };
}

/** One unsafe frame makes the video unsafe. */
function leastSafe(frames: readonly FrameResult[]): number | null {
  const known = frames.flatMap(({ image }) => image.nsfw ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

async function judgeFrame(
  parts: AnalysisParts,
  { analysis, signal }: Attempt,
  { slot, packs, content, plan, steps }: Job,
  frame: DecodedFrame,
  index: number,
): Promise<FrameResult> {
  const answers = await inferPatches(parts, slot, { picture: frame, plan, signal }, () => {});
  const nsfw = await measureNsfw(parts, slot, { picture: frame, packs: content, signal });
  const { timeSeconds, hash, sizeBytes, width, height } = frame;
  const file = frameName(index);
  await parts.store.artifacts.put(analysis.id, file, slot.outPath(frame.file));
  steps.advance('frames');
  const image: ImageResult = {
    ...{ kind: 'image', mime: 'image/png', width, height, pages: 1 },
    runs: toImageRuns(packs, frame, answers, 'origin'),
    ...{ nsfw, detections: [], provenance: NO_PROVENANCE, stability: [] },
    quality: { shortSide: Math.min(width, height), jpegQuality: null, truncated: false },
    hasHeatmap: false,
  };
  return { identifier: parts.newIdentifier(), timeSeconds, file, hash, sizeBytes, image };
}

async function judgeTrack(
  parts: AnalysisParts,
  { analysis, signal }: Attempt,
  { slot, steps }: Job,
  { file, hash, sizeBytes, sound }: DecodedTrack,
): Promise<TrackResult> {
  const { models } = analysis;
  const heard = await hearInSlot(parts, slot, { sound, models, signal });
  await parts.store.artifacts.put(analysis.id, TRACK_NAME, slot.outPath(file));
  steps.advance('speech');
  const rest = { kind: 'audio', mime: 'audio/flac', damaged: false, provenance: NO_PROVENANCE } as const;
  return {
    identifier: parts.newIdentifier(),
    file: TRACK_NAME,
    hash,
    sizeBytes,
    audio: { ...rest, ...heard },
  };
}

/**
 * Whether what a worker brings can be the result of the work that it was given. Nothing here believes a figure that
 * follows from another one, from the pack or from the options: it is computed again and compared. What is left to belief is
 * what a model put out, what a decoder read, and the bytes of the files. Pure.
 */
import type { AnalysisResult, ModelRun } from '../../domain/verdicts/result.ts';
import type { Findings } from '../../domain/verdicts/tentative.ts';
import { speechPacksOf } from '../analyses/sound-runs.ts';
import { ExecutorLostError, MediaFaultError, WorkerLostError } from '../children/worker-errors.ts';
import type { Brought } from './brought.ts';
import { firstContradiction, must } from './contradiction.ts';
import { askPicture, checkImage, contentOf } from './judge-picture.ts';
import { askSpeech, checkRunsSoFar } from './judge-runs.ts';
import { checkAudio } from './judge-sound.ts';
import { checkVideo } from './judge-video.ts';
import type { JudgedJob } from './judged-job.ts';
import type { WorkerFailure } from './messages.ts';

/** Why it cannot be; null if it can. */
export function faultOfResult(
  job: JudgedJob,
  brought: Pick<Brought, 'result' | 'likenesses'>,
): string | null {
  return firstContradiction(() => {
    const { result } = brought;
    const { kind } = job.analysis;
    must(result.kind === kind, () => `a result of ${result.kind} for ${kind}`);
    const files = new Set<string>();
    if (result.kind === 'image') checkImage(job, result, files);
    else if (result.kind === 'audio') checkAudio(job, result);
    else checkVideo(job, result, files);
    checkFiles(job, files);
    checkTimes(job, result);
    checkLikenesses(brought);
  });
}

/** Why what is said to have been found so far cannot be; null if it can. */
export function faultOfFindings(
  job: Omit<JudgedJob, 'kept' | 'stability' | 'heldSeconds'>,
  { frames, clips, speech }: Findings,
): string | null {
  const { kind, options, models } = job.analysis;
  return firstContradiction(() => {
    const framesMax = kind === 'video' ? options.frames : 0;
    must(frames.length <= framesMax, () => `${frames.length} frames of at most ${framesMax}`);
    const hears = kind === 'audio' || (kind === 'video' && options.withAudio);
    must(hears || (clips.length === 0 && speech.length === 0), () => 'speech, which was not looked for');
    const picture = askPicture(job, contentOf(job), null);
    for (const [index, { runs }] of frames.entries()) checkRunsSoFar(`frame ${index + 1}`, runs, picture);
    const packs = speechPacksOf(models, job.findPack);
    for (const { index, runs } of clips) checkRunsSoFar(`clip ${index}`, runs, askSpeech(packs, null));
    checkRunsSoFar('speech', speech, askSpeech(packs, null));
  });
}

/** All that the result names came, and nothing else did: what no record names would lie there forever. */
function checkFiles({ kept }: JudgedJob, named: ReadonlySet<string>): void {
  const missing = [...named].find((file) => !kept.has(file));
  must(missing === undefined, () => `the file ${missing} did not come`);
  const unnamed = [...kept.keys()].find((file) => !named.has(file));
  must(unnamed === undefined, () => `the file ${unnamed} came, and the result does not name it`);
}

/** Shares of its batches' time are added up for each model, and several of its processes may have worked at once. */
const PROCESSES_MAX = 16;
/** A worker's clock and this box's do not beat alike, and a figure is rounded. */
const TIME_SLACK_SECONDS = 1;

/** A film's own figures are sums of its frames' and follow from them. */
function checkTimes({ heldSeconds }: JudgedJob, result: AnalysisResult): void {
  const most = heldSeconds * PROCESSES_MAX + TIME_SLACK_SECONDS;
  for (const { model, elapsedSeconds } of measuredRunsOf(result)) {
    must(
      elapsedSeconds <= most,
      () => `${model} worked ${elapsedSeconds} s, at most ${most.toFixed(1)} s can have passed`,
    );
  }
}

function measuredRunsOf(result: AnalysisResult): ModelRun[] {
  switch (result.kind) {
    case 'image':
      return result.runs;
    case 'audio':
      return [...result.runs, ...result.clips.flatMap(({ runs }) => runs)];
    case 'video':
      return [
        ...result.frames.flatMap(({ image }) => measuredRunsOf(image)),
        ...result.tracks.flatMap(({ audio }) => measuredRunsOf(audio)),
      ];
  }
}

/** One for a picture, one for a frame at its time. */
function checkLikenesses({ result, likenesses }: Pick<Brought, 'result' | 'likenesses'>): void {
  const times = timesOf(result);
  must(
    likenesses.length <= times.length,
    () => `${likenesses.length} likenesses of ${times.length} pictures`,
  );
  const stray = likenesses.find(({ timeSeconds }) => !times.includes(timeSeconds));
  must(stray === undefined, () => `a likeness at ${stray?.timeSeconds} s, where no frame is`);
}

function timesOf(result: AnalysisResult): (number | null)[] {
  switch (result.kind) {
    case 'image':
      return [null];
    case 'audio':
      return [];
    case 'video':
      return result.frames.map(({ timeSeconds }) => timeSeconds);
  }
}

/** What a worker says that it failed with, as the children of this box would throw it. */
export function toError(failure: WorkerFailure): Error {
  switch (failure.type) {
    case 'media':
      return new MediaFaultError(failure.fault, failure.message);
    case 'lost':
      return new WorkerLostError('ended', failure.message);
    case 'wait':
      return new ExecutorLostError(failure.message);
  }
}

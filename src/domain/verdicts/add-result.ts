/** Adds a later analysis of the same file. Earlier measurements stay: no verdict changes because a map was asked for. */
import { addViewAnswers } from '../packs/view-axes.ts';
import type {
  AnalysisResult,
  AudioResult,
  FrameResult,
  ImageResult,
  ModelRun,
  TrackResult,
  VideoResult,
} from './result.ts';
import { poolFrames } from './video-verdict.ts';

/** The new result does not fit what was judged then. */
export class UnlikeResultError extends Error {
  override readonly name = 'UnlikeResultError';
}

/** Throws `UnlikeResultError` if the file no longer yields the frames that were judged. */
export function addResult(known: AnalysisResult, added: AnalysisResult): AnalysisResult {
  if (known.kind === 'image' && added.kind === 'image') return addToImage(known, added);
  if (known.kind === 'audio' && added.kind === 'audio') return addToAudio(known, added);
  if (known.kind === 'video' && added.kind === 'video') return addToVideo(known, added);
  throw new UnlikeResultError(`a result of ${added.kind} cannot be added to one of ${known.kind}`);
}

function addToImage(known: ImageResult, added: ImageResult): ImageResult {
  const tampering = known.tampering ?? added.tampering;
  return {
    ...known,
    runs: addRuns(known.runs, added.runs),
    ...addViewAnswers(known, added),
    detections: known.detections.length > 0 ? known.detections : added.detections,
    hasHeatmap: known.hasHeatmap || added.hasHeatmap,
    ...(tampering === undefined ? {} : { tampering }),
  };
}

/** Adds answers of models that had given none. */
function addRuns(known: readonly ModelRun[], added: readonly ModelRun[]): ModelRun[] {
  const names = new Set(known.map(nameOf));
  return [...known, ...added.filter((run) => !names.has(nameOf(run)))];
}

const nameOf = ({ model, version }: ModelRun): string => `${model}@${version}`;

function addToAudio(known: AudioResult, added: AudioResult): AudioResult {
  const transcript = known.transcript ?? added.transcript;
  return { ...known, ...(transcript === undefined ? {} : { transcript }) };
}

function addToVideo(known: VideoResult, added: VideoResult): VideoResult {
  const frames = addFrames(known.frames, added.frames);
  const tracks = addTracks(known.tracks, added.tracks);
  return {
    ...known,
    frames,
    tracks,
    withTrack: known.withTrack || added.withTrack,
    runs: addRuns(known.runs, [
      ...poolFrames(frames.map(({ image }) => image.runs)),
      ...tracks.flatMap(({ audio }) => audio.runs),
    ]),
    ...addViewAnswers(known, added),
  };
}

function addFrames(known: readonly FrameResult[], added: readonly FrameResult[]): FrameResult[] {
  return known.map((frame, index) => {
    const later = added[index];
    if (later?.hash !== frame.hash || known.length !== added.length) {
      throw new UnlikeResultError(
        'the frames that can be taken from the file now are not those that were judged',
      );
    }
    return { ...frame, image: addToImage(frame.image, later.image) };
  });
}

function addTracks(known: readonly TrackResult[], added: readonly TrackResult[]): TrackResult[] {
  if (known.length === 0) return [...added];
  return known.map((track, index) => {
    const later = added[index];
    return later === undefined ? track : { ...track, audio: addToAudio(track.audio, later.audio) };
  });
}

/** Whether what a worker says of a video can be: each frame and the track, and that the whole follows from them. Pure. */
import { frameHeatmapFile } from '../../domain/media/heatmap.ts';
import type { FrameResult, TrackResult, VideoResult } from '../../domain/verdicts/result.ts';
import { poolFrames } from '../../domain/verdicts/video-verdict.ts';
import { leastSafe, TRACK_NAME } from '../analyses/analyse-video.ts';
import { frameName } from '../analyses/frame-judge.ts';
import { agree, must } from './contradiction.ts';
import { checkFrameImage, checkMime, checkProvenance } from './judge-picture.ts';
import { checkTrackAudio } from './judge-sound.ts';
import type { JudgedJob } from './judged-job.ts';

/** Throws a Contradiction. Adds the files that it names. */
export function checkVideo(job: JudgedJob, video: VideoResult, files: Set<string>): void {
  const { options } = job.analysis;
  const { mime, provenance, marks, frames, tracks, runs, nsfw, withTrack } = video;
  checkMime('video', mime);
  checkProvenance(provenance);
  must(marks !== undefined, () => 'marks: were not looked for');
  must(frames.length <= options.frames, () => `${frames.length} frames of at most ${options.frames}`);
  must(withTrack === options.withAudio, () => 'withTrack: is not what was asked for');
  must(options.withAudio || tracks.length === 0, () => 'a track that was not asked for');
  for (const [index, frame] of frames.entries()) checkFrame(job, index, frame, files);
  for (const track of tracks) checkTrack(job, track, files);
  const pooled = poolFrames(frames.map(({ image }) => image.runs));
  const expected = [...pooled, ...tracks.flatMap(({ audio }) => audio.runs)];
  must(
    agree(runs, expected),
    () => 'video: its answers do not follow from those of its frames and its track',
  );
  must(agree(nsfw, leastSafe(frames)), () => `nsfw: is ${nsfw}, not that of the least safe frame`);
}

function checkFrame(job: JudgedJob, index: number, frame: FrameResult, files: Set<string>): void {
  const place = `frame ${index + 1}`;
  must(frame.file === frameName(index), () => `${place}: its file is named ${frame.file}`);
  checkKept(job, frame);
  files.add(frame.file);
  checkFrameImage(place, job, frame.image);
  if (frame.image.hasHeatmap) files.add(frameHeatmapFile(index));
}

function checkTrack(job: JudgedJob, track: TrackResult, files: Set<string>): void {
  must(track.file === TRACK_NAME, () => `track: its file is named ${track.file}`);
  checkKept(job, track);
  files.add(track.file);
  checkTrackAudio(job, track.audio);
}

function checkKept(
  { kept }: JudgedJob,
  { file, hash, sizeBytes }: Pick<FrameResult, 'file' | 'hash' | 'sizeBytes'>,
): void {
  const found = kept.get(file);
  const isSame = found?.hash === hash && found.sizeBytes === sizeBytes;
  must(isSame, () => `the file ${file} did not come, or is another`);
}

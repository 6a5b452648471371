/** The analysis of a video, as far as a decode child takes it: chosen frames and the track. */
import { join } from 'node:path';
import { assertFrameBounds, toUprightPicture } from './libav/frame-picture.ts';
import { PlayedFrames } from './libav/played-frames.ts';
import { MediaFaultFound } from './media/media-fault.ts';
import { type ReportStep, secondsReporter } from './media/progress.ts';
import type { DecodeVideoRequest } from './protocol/decode-protocol.ts';
import type { DecodedFrame, DecodedTrack, DecodedVideo } from './protocol/decoded-media.ts';
import { timeChooser } from './steps/frame-choice.ts';
import { FrameWriter } from './steps/frame-writer.ts';
import { searchMarks } from './steps/marks.ts';
import { readProvenance } from './steps/provenance.ts';
import { decodeTrack } from './steps/track.ts';
import { VideoFile } from './steps/video-file.ts';

interface VideoWork {
  request: DecodeVideoRequest;
  file: VideoFile;
  outFolder: string;
  report: ReportStep;
  frame: (frame: DecodedFrame) => void;
}

export async function decodeVideo(
  request: DecodeVideoRequest,
  slotFolder: string,
  callbacks: Pick<VideoWork, 'report' | 'frame'>,
): Promise<DecodedVideo> {
  const path = join(slotFolder, 'in', request.input);
  using file = await VideoFile.open(path);
  const { mime, played } = file;
  const work = { request, file, outFolder: join(slotFolder, 'out'), ...callbacks };
  const provenance = await readProvenance({
    path,
    mime,
    trust: request.trust,
    tags: played.container.tags,
  });
  const marks = searchMarks(mime, null);
  const { first, ...taken } = await takeFrames(work);
  if (first === null) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  const track = request.withTrack ? await takeTrack(work) : null;
  const { width, height } = first;
  return { mime, width, height, durationSeconds: played.seconds, provenance, marks, ...taken, track };
}

function chooseTimes({ request: { frames: choice }, file, report }: VideoWork): readonly number[] {
  if (choice.method === 'at') return choice.times;
  const onProgress = (done: number, total: number) => report('frame choice', done, total);
  return timeChooser({ file: file.played, choice, report: onProgress })(choice.countMax);
}

interface TakenFrames extends Pick<DecodedVideo, 'decoder' | 'damagedFrames'> {
  first: DecodedFrame | null;
}

/** Frames are written while the next ones are decoded. */
async function takeFrames(work: VideoWork): Promise<TakenFrames> {
  const { request, file, outFolder, report, frame } = work;
  const times = chooseTimes(work);
  using frames = new PlayedFrames(file.played, { wanted: request.decoder });
  const writer = new FrameWriter(request, outFolder, frame);
  for (const [done, time] of times.entries()) {
    report('frames', done, times.length);
    const shown = frames.frameAt(time);
    if (shown === null) continue;
    assertFrameBounds(shown.frame, shown.display, request.limits);
    await writer.take(shown.timeSeconds, toUprightPicture(shown.frame, shown.display));
  }
  await writer.finish();
  const { decoder, damagedFrames } = frames;
  return { first: writer.first, decoder, damagedFrames };
}

async function takeTrack({ request, file, outFolder, report }: VideoWork): Promise<DecodedTrack | null> {
  const { played } = file;
  if (played.container.audio === null) return null;
  return await decodeTrack({
    file: played,
    outFolder,
    secondsMax: request.soundSecondsMax,
    onProgress: secondsReporter(report, 'track', played.seconds),
  });
}

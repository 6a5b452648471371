/** The analysis of a video, as far as a decode child takes it: chosen frames and the track. */
import { join } from 'node:path';
import type { MediaType } from '../domain/media.ts';
import { Container } from './libav/container.ts';
import { displayOf } from './libav/display.ts';
import { assertFrameBounds, toUprightPicture } from './libav/frame-picture.ts';
import { FrameWalk } from './libav/frame-walk.ts';
import { StreamDecoder } from './libav/stream-decoder.ts';
import { measureTimeSpan, type TimeSpan } from './libav/time-span.ts';
import { MediaFaultFound } from './media-fault.ts';
import type { DecodedFrame, DecodedTrack, DecodedVideo, DecodeVideoRequest } from './protocol.ts';
import { chooseTimes } from './steps/frame-choice.ts';
import { writeFrame } from './steps/frame-file.ts';
import { readMediaType, refuseKind } from './steps/media-header.ts';
import { judgeStreams } from './steps/probe-container.ts';
import { type ReportStep, secondsReporter } from './steps/progress.ts';
import { readProvenance } from './steps/provenance.ts';
import { decodeTrack } from './steps/track.ts';

interface VideoWork {
  request: DecodeVideoRequest;
  path: string;
  type: MediaType;
  outFolder: string;
  report: ReportStep;
}

export async function decodeVideo(
  request: DecodeVideoRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<DecodedVideo> {
  const path = join(slotFolder, 'in', request.input);
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind('video', `a ${type.name} picture`);
  const work = { request, path, type, outFolder: join(slotFolder, 'out'), report };
  const { mime, span } = look(work);
  const provenance = await readProvenance(path, mime, request.trustAnchorsPem);
  const { frames, damagedFrames } = await takeFrames(work, span);
  const [first] = frames;
  if (first === undefined) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  const track = request.withTrack ? await takeTrack(work) : null;
  const { width, height } = first;
  return { mime, width, height, durationSeconds: span.seconds, provenance, frames, damagedFrames, track };
}

function look({ path, type }: VideoWork): { mime: string; span: TimeSpan } {
  using container = Container.open(path, type);
  const { kind, mime, name } = judgeStreams(container, type);
  if (kind !== 'video' || container.video === null) throw refuseKind('video', `${name} with sound only`);
  return { mime, span: measureTimeSpan(container, container.video, path) };
}

function choose({ request, path, type, report }: VideoWork, span: TimeSpan): number[] {
  using container = Container.open(path, type);
  const stream = container.video;
  if (stream === null) throw new Error('the video went away');
  return chooseTimes({
    ...{ container, stream, span, choice: request.frames },
    report: (done, total) => report('frame choice', done, total),
  });
}

/** A frame is written while the next one is decoded: two pictures are in memory, never more. */
async function takeFrames(
  work: VideoWork,
  span: TimeSpan,
): Promise<{ frames: DecodedFrame[]; damagedFrames: number }> {
  const { request, path, type, outFolder, report } = work;
  const times = choose(work, span);
  using container = Container.open(path, type);
  const stream = container.video;
  if (stream === null) throw new Error('the video went away');
  using decoder = new StreamDecoder(container, stream);
  using walk = new FrameWalk(container, stream, decoder, span);
  const frames: DecodedFrame[] = [];
  let writing: Promise<DecodedFrame> | null = null;
  for (const [done, time] of times.entries()) {
    report('frames', done, times.length);
    const shown = walk.frameAt(time);
    if (shown === null) continue;
    const display = displayOf(stream, shown.frame);
    assertFrameBounds(shown.frame, display, request.limits);
    const picture = toUprightPicture(shown.frame, display);
    if (writing !== null) frames.push(await writing);
    const chosen = { index: frames.length, timeSeconds: shown.timeSeconds, picture };
    writing = writeFrame(chosen, request, outFolder);
  }
  if (writing !== null) frames.push(await writing);
  return { frames, damagedFrames: walk.damagedFrames };
}

async function takeTrack({
  request,
  path,
  type,
  outFolder,
  report,
}: VideoWork): Promise<DecodedTrack | null> {
  using container = Container.open(path, type);
  const stream = container.audio;
  if (stream === null) return null;
  return await decodeTrack({
    container,
    stream,
    outFolder,
    secondsMax: request.soundSecondsMax,
    onProgress: secondsReporter(report, 'track', container.claimedSeconds),
  });
}

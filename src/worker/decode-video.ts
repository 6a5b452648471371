import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FlacFile } from './libav/flac-file.ts';
import { assertFrameBounds, toUprightPicture } from './libav/frame-picture.ts';
import type { PlayedFile } from './libav/played-file.ts';
import { PlayedFrames } from './libav/played-frames.ts';
import { MediaFaultFound } from './media/media-fault.ts';
import { type ReportStep, secondsReporter } from './media/progress.ts';
import type { DecodeVideoRequest } from './protocol/decode-protocol.ts';
import type { DecodedFrame, DecodedTrack, DecodedVideo } from './protocol/decoded-media.ts';
import { spreadEvenly, thin, timeChooser } from './steps/frame-choice.ts';
import { FrameWriter } from './steps/frame-writer.ts';
import { searchMarks } from './steps/marks.ts';
import { readProvenance } from './steps/provenance.ts';
import { decodeSound } from './steps/sound.ts';
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

/** At most half of the chosen frames are of pictures that players do not show first. */
const FURTHER_PICTURES_MAX = 3;
const FURTHER_FRAMES_MAX = 4;

interface ChosenFrame {
  seconds: number;
  /** 0 is the picture that players show first. */
  picture: number;
}

/** In order of time. */
function chooseFrames(work: VideoWork): { chosen: ChosenFrame[]; picturesLeftOut: number } {
  const { request, file } = work;
  const choice = request.frames;
  const countMax = choice.method === 'at' ? choice.times.length : choice.countMax;
  const others = file.played.container.pictures.length - 1;
  const looked = Math.min(others, FURTHER_PICTURES_MAX, countMax - 1);
  const each = Math.max(1, Math.min(FURTHER_FRAMES_MAX, Math.floor(countMax / (2 * looked))));
  const further = Array.from({ length: looked }, (_, at) =>
    spreadEvenly(each, file.played).map((seconds) => ({ seconds, picture: at + 1 })),
  );
  const first = chooseTimes(work, countMax - looked * each).map((seconds) => ({ seconds, picture: 0 }));
  const chosen = [...first, ...further.flat()].sort((one, other) => one.seconds - other.seconds);
  return { chosen, picturesLeftOut: others - looked };
}

function chooseTimes(
  { request: { frames: choice }, file, report }: VideoWork,
  countMax: number,
): readonly number[] {
  if (choice.method === 'at') return thin(choice.times, countMax);
  const onProgress = (done: number, total: number) => report('frame-choice', done, total);
  return timeChooser({ file: file.played, choice, report: onProgress })(countMax);
}

interface TakenFrames extends Pick<DecodedVideo, 'decoder' | 'damagedFrames' | 'picturesLeftOut'> {
  first: DecodedFrame | null;
}

/** Frames are written while the next ones are decoded. */
async function takeFrames(work: VideoWork): Promise<TakenFrames> {
  const { request, file, outFolder, report, frame } = work;
  const { chosen, picturesLeftOut } = chooseFrames(work);
  using pictures = new DisposableStack();
  const readers = file.played.container.pictures.map((_, picture) => {
    const played = picture === 0 ? file.played : pictures.use(file.played.beside());
    return pictures.use(new PlayedFrames(played, { wanted: request.decoder, picture }));
  });
  const writer = new FrameWriter(request, outFolder, frame);
  for (const [done, { seconds, picture }] of chosen.entries()) {
    report('frames', done, chosen.length);
    const shown = readers[picture]?.frameAt(seconds) ?? null;
    if (shown === null) continue;
    assertFrameBounds(shown.frame, shown.display, request.limits);
    await writer.take({ ...shown, picture }, toUprightPicture(shown.frame, shown.display));
  }
  await writer.finish();
  const { decoder = 'cpu' } = readers[0] ?? {};
  const damagedFrames = readers.reduce((sum, reader) => sum + reader.damagedFrames, 0);
  return { first: writer.first, decoder, damagedFrames, picturesLeftOut };
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

/** The track from the video's beginning: a FLAC file, a recording with a hash of its own, and samples for the models. */
const TRACK_FILE = 'track.flac';

interface TrackWork {
  file: PlayedFile;
  outFolder: string;
  secondsMax: number;
  onProgress: (seconds: number) => void;
}

/** Null if the track cannot be decoded: the pictures are there all the same. */
async function decodeTrack(work: TrackWork): Promise<DecodedTrack | null> {
  const path = join(work.outFolder, TRACK_FILE);
  let flac: FlacFile | null = null;
  try {
    const { sound } = decodeSound({
      ...work,
      isLongRefused: false,
      onFrame: ({ frame, silentSeconds }) => {
        flac ??= new FlacFile(path, frame);
        if (silentSeconds > 0) flac.rest(silentSeconds);
        flac.write(frame);
      },
    });
    finish(flac);
    return { file: TRACK_FILE, ...(await hashFile(path)), sound };
  } catch (error) {
    if (error instanceof MediaFaultFound) return null;
    throw error;
  } finally {
    dispose(flac);
  }
}

function finish(flac: FlacFile | null): void {
  if (flac === null) throw new Error('a track was decoded without a frame');
  flac.finish();
}

function dispose(flac: FlacFile | null): void {
  flac?.[Symbol.dispose]();
}

/** A track may be larger than the child should hold. */
async function hashFile(path: string): Promise<{ hash: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { hash: hash.digest('hex'), sizeBytes };
}

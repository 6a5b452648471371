/**
 * A video, or a recording, that browsers cannot play, as one that they can: WebM with VP8 and Opus, at most 720 lines,
 * at the original's times. It is slow work that no one must wait behind, so the child lowers its own priority.
 */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Frame, Stream } from 'node-av/lib';
import type { MediaType } from '../../domain/media/formats.ts';
import {
  FILM_SECONDS_MAX,
  FILM_SHORT_SIDE_MAX,
  type RenditionFigures,
} from '../../domain/media/rendition.ts';
import { Container } from '../libav/container.ts';
import { FilmFrames } from '../libav/film-frames.ts';
import { FilmSound } from '../libav/film-sound.ts';
import { measureTimeSpan, type TimeSpan } from '../libav/time-span.ts';
import { WebmFile } from '../libav/webm-file.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { type ReportStep, secondsReporter } from '../media/progress.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import type { RenderWork } from './rendition-work.ts';

export async function renderFilm({ path, outFolder, limits, report }: RenderWork): Promise<RenditionFigures> {
  const { type, span } = await measure(path, 'video');
  setPriority(constants.priority.PRIORITY_LOW);
  using container = Container.open(path, type);
  const stream = streamOf(container, type, 'video');
  using frames = new FilmFrames(container, stream, {
    start: span.start,
    limits,
    shortSideMax: FILM_SHORT_SIDE_MAX,
  });
  if (frames.isEmpty) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  using track = openTrack(path, type, span.startSeconds);
  const { width, height } = frames;
  const picture = { width, height };
  using file = new WebmFile(join(outFolder, 'film.webm'), {
    picture,
    channels: track?.sound.channels ?? null,
  });
  interleave({ file, frames, sound: track?.sound ?? null, report, totalSeconds: span.seconds });
  file.finish();
  return { kind: 'film', width, height, durationSeconds: span.seconds };
}

export async function renderSound({ path, outFolder, report }: RenderWork): Promise<RenditionFigures> {
  const { type, span } = await measure(path, 'audio');
  setPriority(constants.priority.PRIORITY_LOW);
  using track = openTrack(path, type, span.startSeconds);
  if (track === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  using file = new WebmFile(join(outFolder, 'sound.webm'), { picture: null, channels: track.sound.channels });
  interleave({ file, frames: null, sound: track.sound, report, totalSeconds: span.seconds });
  file.finish();
  return { kind: 'sound', durationSeconds: span.seconds };
}

interface Measured {
  type: MediaType;
  span: TimeSpan;
}

async function measure(path: string, kind: 'video' | 'audio'): Promise<Measured> {
  const type = readMediaType(path);
  if (type.kind === 'image') throw refuseKind(kind, `a ${type.name} picture`);
  using container = Container.open(path, type);
  const stream = streamOf(container, type, kind);
  const span = measureTimeSpan(container, stream, path);
  if (span.seconds > FILM_SECONDS_MAX) {
    const found = `the file lasts ${Math.round(span.seconds)} seconds`;
    throw new MediaFaultFound('too_long', `${found}; renditions are made of at most ${FILM_SECONDS_MAX}`);
  }
  return { type, span };
}

function streamOf(container: Container, { name }: MediaType, kind: 'video' | 'audio'): Stream {
  const stream = container[kind];
  if (stream !== null) return stream;
  throw refuseKind(kind, kind === 'video' ? `${name} with sound only` : `${name} without sound`);
}

/** Null if there is none or none of it can be decoded: the film is there all the same. */
function openTrack(
  path: string,
  type: MediaType,
  startSeconds: number,
): ({ sound: FilmSound } & Disposable) | null {
  const container = Container.open(path, type);
  const { audio } = container;
  const sound = audio === null ? null : openSound(container, audio, startSeconds);
  if (sound === null) {
    container[Symbol.dispose]();
    return null;
  }
  return {
    sound,
    [Symbol.dispose]() {
      sound[Symbol.dispose]();
      container[Symbol.dispose]();
    },
  };
}

function openSound(container: Container, stream: Stream, startSeconds: number): FilmSound | null {
  try {
    const sound = new FilmSound(container, stream, startSeconds);
    if (!sound.isEmpty) return sound;
    sound[Symbol.dispose]();
    return null;
  } catch (error) {
    if (error instanceof MediaFaultFound) return null;
    throw error;
  }
}

interface Mix {
  file: WebmFile;
  frames: FilmFrames | null;
  sound: FilmSound | null;
  report: ReportStep;
  totalSeconds: number;
}

/** Whichever comes first in time is written first: a player reads the file from front to back. */
function interleave({ file, frames, sound, report, totalSeconds }: Mix): void {
  const reportSeconds = secondsReporter(report, 'rendition', totalSeconds);
  let picture: Frame | null = frames?.next() ?? null;
  let isHeard = sound !== null;
  while (picture !== null || isHeard) {
    const pictureSeconds = picture === null ? Number.POSITIVE_INFINITY : Number(picture.pts) / 1000;
    if (sound !== null && isHeard && sound.seconds <= pictureSeconds) {
      const block = sound.next(file.soundFrameSamples);
      if (block === null) isHeard = false;
      else file.writeSound(block.samples, block.at);
      reportSeconds(sound.seconds);
    } else if (picture !== null) {
      file.writePicture(picture);
      reportSeconds(pictureSeconds);
      picture = frames?.next() ?? null;
    }
  }
}

/** A film or recording for browsers: WebM, at most 720 lines. Slow work, so the child lowers its own priority. */
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'node-av/lib';
import {
  FILM_SECONDS_MAX,
  FILM_SHORT_SIDE_MAX,
  type RenditionFigures,
} from '../../domain/media/rendition.ts';
import { FilmFrames } from '../libav/film-frames.ts';
import { FilmSound } from '../libav/film-sound.ts';
import { PlayedFile } from '../libav/played-file.ts';
import { WebmFile } from '../libav/webm-file.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { type ReportStep, secondsReporter } from '../media/progress.ts';
import { readMediaType, refuseKind } from '../pictures/media-header.ts';
import type { RenderWork } from './rendition-work.ts';

export async function renderFilm({ path, outFolder, limits, report }: RenderWork): Promise<RenditionFigures> {
  using played = await open(path, 'video');
  setPriority(constants.priority.PRIORITY_LOW);
  using frames = new FilmFrames(played, { limits, shortSideMax: FILM_SHORT_SIDE_MAX });
  if (frames.isEmpty) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  using beside = played.beside();
  using sound = openSound(beside);
  const { width, height } = frames;
  const picture = { width, height };
  using file = new WebmFile(join(outFolder, 'film.webm'), { picture, channels: sound?.channels ?? null });
  interleave({ file, frames, sound, report, totalSeconds: played.seconds });
  file.finish();
  return { kind: 'film', width, height, durationSeconds: played.seconds };
}

export async function renderSound({ path, outFolder, report }: RenderWork): Promise<RenditionFigures> {
  using played = await open(path, 'audio');
  setPriority(constants.priority.PRIORITY_LOW);
  using sound = openSound(played);
  if (sound === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  using file = new WebmFile(join(outFolder, 'sound.webm'), { picture: null, channels: sound.channels });
  interleave({ file, frames: null, sound, report, totalSeconds: played.seconds });
  file.finish();
  return { kind: 'sound', durationSeconds: played.seconds };
}

async function open(path: string, kind: 'video' | 'audio'): Promise<PlayedFile> {
  const type = await readMediaType(path);
  if (type.kind === 'image') throw refuseKind(kind, `a ${type.name} picture`);
  const file = PlayedFile.open(path, type, { kind });
  const fault = faultOf(file, kind);
  if (fault === null) return file;
  file[Symbol.dispose]();
  throw fault;
}

function faultOf({ type: { name }, container, seconds }: PlayedFile, kind: 'video' | 'audio') {
  if (container[kind] === null)
    return refuseKind(kind, kind === 'video' ? `${name} with sound only` : `${name} without sound`);
  if (seconds <= FILM_SECONDS_MAX) return null;
  const found = `the file lasts ${Math.round(seconds)} seconds`;
  return new MediaFaultFound('too_long', `${found}; renditions are made of at most ${FILM_SECONDS_MAX}`);
}

/** Null if there is none or none can be decoded: the film is made all the same. */
function openSound(file: PlayedFile): FilmSound | null {
  try {
    const sound = new FilmSound(file);
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

/** Writes in order of time, since a player reads the file from front to back. */
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

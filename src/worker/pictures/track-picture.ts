/** Pictures that the media library shows as frames of a track: JPEG XL, PNG animations, HEIF sequences. */
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import type { Frame, Stream } from 'node-av/lib';
import type { Sharp } from 'sharp';
import { Container } from '../libav/container.ts';
import { displayOf, shownSides } from '../libav/display.ts';
import { toUprightPicture } from '../libav/frame-picture.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { assertBounds } from './picture-bounds.ts';
import { openPixels } from './picture-file.ts';

type TrackFile = Pick<PictureHeader, 'path' | 'mime' | 'format' | 'limits'>;

/** Pixels that are decoded to count frames if no header states them: about a second. */
const COUNTED_PIXELS_MAX = 250_000_000;

/** The upright sides of the first frame, and the least number of frames. Decodes the first. */
export function describeTrack(file: TrackFile): Pick<PictureHeader, 'width' | 'height' | 'pages'> {
  let first: { width: number; height: number } | null = null;
  let pages = 0;
  for (const { stream, frame } of walk(file)) {
    const sides = shownSides(frame, displayOf(stream, frame));
    first ??= sides;
    pages = Math.max(pages + 1, Number(stream.nbFrames));
    if (stream.nbFrames > 0 || pages * sides.width * sides.height > COUNTED_PIXELS_MAX) break;
  }
  if (first !== null) return { ...first, pages };
  throw new MediaFaultFound('corrupt', `the ${file.format} data is damaged or ends early`);
}

/** The frames of the given numbers, ascending from 0; those that cannot be decoded are left out. */
export function* readTrack(file: TrackFile, numbers: readonly number[]): Generator<[number, Sharp]> {
  const last = numbers.at(-1) ?? -1;
  let number = -1;
  for (const { stream, frame } of walk(file)) {
    number += 1;
    if (numbers.includes(number)) {
      const picture = toUprightPicture(frame, displayOf(stream, frame), 'rgba');
      yield [number, openPixels(picture, 4)];
    }
    if (number >= last) return;
  }
}

export function openTrack(file: TrackFile): Sharp {
  for (const [, image] of readTrack(file, [0])) return image;
  throw new MediaFaultFound('corrupt', `the ${file.format} data is damaged or ends early`);
}

function* walk({ path, mime, format, limits }: TrackFile): Generator<{ stream: Stream; frame: Frame }> {
  using container = Container.open(path, { mime, name: format });
  const stream = longest(container);
  if (stream === undefined) throw new MediaFaultFound('corrupt', `the ${format} data holds no picture`);
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    assertBounds(shownSides(frame, displayOf(stream, frame)), limits);
    yield { stream, frame };
  }
}

/** A sequence may lie beside items and its transparency, which are streams too. */
function longest({ streams }: Container): Stream | undefined {
  const pictures = streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO);
  return pictures.reduce<Stream | undefined>(
    (most, stream) => (most === undefined || stream.nbFrames > most.nbFrames ? stream : most),
    undefined,
  );
}

/**
 * Whether a file can be analysed at all, answered within its submission. A picture is decoded to a stamp: that
 * reads every byte of the data (a JPEG that lacks its last byte is noticed), at a third of the time of full pixels.
 */
import { describeAcceptedTypes, type MediaType, refineMediaType } from '../../domain/media/formats.ts';
import { Container } from '../libav/container.ts';
import { displayOf, shownSides } from '../libav/display.ts';
import { assertFrameBounds } from '../libav/frame-picture.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { measureTimeSpan } from '../libav/time-span.ts';
import { MediaFaultFound, toPictureFault } from '../media/media-fault.ts';
import type { PictureHeader } from '../media/picture.ts';
import { readHeader } from '../pictures/header.ts';
import { readMediaType } from '../pictures/media-header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { DecodeLimits, Probe } from '../protocol/decode-protocol.ts';

const STAMP_SIDE = 16;

export async function probe(path: string, limits: DecodeLimits): Promise<Probe> {
  const type = await readMediaType(path);
  if (type.kind !== 'image') return probeContainer(path, type, limits);
  const header = await readHeader(path, limits);
  await decodeStamp(header);
  const { mime, width, height, pages } = header;
  return { kind: 'image', mime, width, height, pages, durationSeconds: null, hasSound: false };
}

async function decodeStamp(header: PictureHeader): Promise<void> {
  try {
    const upright = await openUpright(header);
    await upright.resize(STAMP_SIDE, STAMP_SIDE, { fit: 'fill' }).raw().toBuffer();
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

/** Its kind follows from what it holds; its first frame is decoded, its length measured. */
function probeContainer(path: string, type: MediaType, limits: DecodeLimits): Probe {
  using container = Container.open(path, type);
  const kind = container.video === null ? 'audio' : 'video';
  const { mime } = checkStreams(container, type);
  const sides = kind === 'video' ? probePicture(container, limits) : probeSound(container);
  const stream = container.video ?? container.audio;
  const durationSeconds = stream === null ? 0 : measureTimeSpan(container, stream, path).seconds;
  return { kind, mime, ...sides, pages: 1, durationSeconds, hasSound: container.audio !== null };
}

/** The type by what the container holds. Throws if it holds nothing that can be decoded. */
export function checkStreams(container: Container, type: MediaType): MediaType {
  const { video, audio } = container;
  const found = `the file is ${type.name} without picture or sound that can be decoded`;
  if (video === null && audio === null)
    throw new MediaFaultFound('unsupported_media_type', `${found} (${container.describeStreams()})`);
  const kind = video === null ? 'audio' : 'video';
  const refined = refineMediaType(type.mime, kind);
  if (refined !== undefined) return refined;
  throw new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${type.name} that holds ${kind}; accepted are ${describeAcceptedTypes(kind)}`,
  );
}

function probePicture(container: Container, limits: DecodeLimits): { width: number; height: number } {
  const stream = container.video;
  if (stream === null) throw new Error('there is no picture to probe');
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const frame = decoder.next();
  if (frame === null) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  const display = displayOf(stream, frame);
  assertFrameBounds(frame, display, limits);
  return shownSides(frame, display);
}

function probeSound(container: Container): { width: null; height: null } {
  const stream = container.audio;
  if (stream === null) throw new Error('there is no sound to probe');
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  if (decoder.next() === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  return { width: null, height: null };
}

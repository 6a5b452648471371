/** Probes a film or a sound: its first frame or sound is decoded, its length measured. */
import { describeAcceptedTypes, type MediaType, refineMediaType } from '../../domain/media/formats.ts';
import type { Container } from '../libav/container.ts';
import { displayOf, shownSides } from '../libav/display.ts';
import { assertFrameBounds } from '../libav/frame-picture.ts';
import { PlayedFile } from '../libav/played-file.ts';
import { StreamDecoder } from '../libav/stream-decoder.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import { assertDenseSound } from '../media/sound-density.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import type { Probe } from '../protocol/decoded-media.ts';

/** Its kind follows from its streams. */
export function probeContainer(path: string, type: MediaType, limits: DecodeLimits): Probe {
  using file = PlayedFile.open(path, type, { isQuick: true });
  const { kind, container, seconds: durationSeconds } = file;
  const hasSound = container.audio !== null;
  const { mime } = checkStreams(container, type);
  if (kind === 'audio' && container.audio !== null) {
    const { sampleRate, channels } = container.audio.codecpar;
    assertDenseSound(durationSeconds * sampleRate * channels, container.sizeBytes);
  }
  const sides = kind === 'video' ? probePicture(file, limits) : probeSound(file);
  return { kind, mime, ...sides, pages: 1, durationSeconds, hasSound };
}

/** The type by the container's streams. Throws if none can be decoded. */
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

function probePicture(file: PlayedFile, limits: DecodeLimits): { width: number; height: number } {
  const { container, stream } = file.read(0, 'video') ?? {};
  if (container === undefined || stream === undefined) throw new Error('there is no picture to probe');
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const frame = decoder.next();
  if (frame === null) throw new MediaFaultFound('corrupt', 'no frame of the video can be decoded');
  const display = displayOf(stream, frame);
  assertFrameBounds(frame, display, limits);
  return shownSides(frame, display);
}

function probeSound(file: PlayedFile): { width: null; height: null } {
  const { container, stream } = file.read(0, 'audio') ?? {};
  if (container === undefined || stream === undefined) throw new Error('there is no sound to probe');
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  if (decoder.next() === null) throw new MediaFaultFound('corrupt', 'no sound in the file can be decoded');
  return { width: null, height: null };
}

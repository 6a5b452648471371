/** The formats of the matrix: every documented one, and those that a plan may add, each made here with a picture or sound that is known. */
import type { FFEncoderCodec } from 'node-av/constants';
import sharp, { type Sharp } from 'sharp';
import type { MediaKind } from '../../src/domain/media/media.ts';
import { makeSound, type SoundRecipe, type VideoRecipe } from '../media/make-media.ts';
import { makeHeic, makeJxl } from '../media/make-stills.ts';
import { CORNERS } from '../media/numbered-frame.ts';
import { makeVideoByAny } from '../media/video-apart.ts';
import { makeVoice } from '../media/voice.ts';

export const SECONDS = 1;
const RATE = 44_100;
export const [WIDTH, HEIGHT] = [320, 256];

export interface Format {
  kind: MediaKind;
  name: string;
  mime: string;
  make: () => Promise<Buffer> | Buffer;
  isForeign?: boolean;
  /** The stored picture lies on its side, and is to be shown upright. */
  isTurned?: boolean;
  /** A picture in print colours, which lack some colours of a screen. */
  isPrint?: boolean;
}

function corners(): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      rgb.set(CORNERS[(y * 2 < HEIGHT ? 0 : 2) + (x * 2 < WIDTH ? 0 : 1)] ?? [0, 0, 0], (y * WIDTH + x) * 3);
    }
  }
  return rgb;
}

const RGB = corners();
export const still = (): Sharp => sharp(RGB, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });

/** Stored on its side; its tag says how it stands. */
async function turnedJpeg(): Promise<Buffer> {
  const lying = await still().rotate(270).raw().toBuffer();
  const image = sharp(lying, { raw: { width: HEIGHT, height: WIDTH, channels: 3 } });
  return await image.withMetadata({ orientation: 6 }).jpeg({ quality: 92 }).toBuffer();
}

export function film(container: string, codec: string, more: Partial<VideoRecipe> = {}): () => Buffer {
  const size = { seconds: SECONDS, width: WIDTH, height: HEIGHT, fps: 10 };
  return () => makeVideoByAny({ container, codec: codec as FFEncoderCodec, ...size, ...more });
}

const voice = makeVoice({ seconds: SECONDS, sampleRate: RATE, amplitude: 0.4 });

export function sound(container: string, codec: string, more: Partial<SoundRecipe> = {}): () => Buffer {
  const wave = (time: number): number => voice[Math.floor(time * RATE)] ?? 0;
  const base = { seconds: SECONDS, rate: RATE, channels: 1, wave };
  return () => makeSound({ container, codec: codec as FFEncoderCodec, ...base, ...more });
}

/** Sound of one of the brands that differ in their name only. */
function branded(brand: string): () => Buffer {
  return () => {
    const bytes = sound('ipod', 'aac')();
    bytes.write(brand, 8, 'latin1');
    return bytes;
  };
}

/** A stream without a container names no rate; it is read at 25. */
const RAW: Partial<VideoRecipe> = { fps: 25 };
const withSound = (codec: string): Partial<VideoRecipe> => ({ withSound: codec as FFEncoderCodec });

export const FORMATS: Format[] = [
  { kind: 'image', name: 'plain.png', mime: 'image/png', make: () => still().png().toBuffer() },
  {
    kind: 'image',
    name: 'deep.png',
    mime: 'image/png',
    make: () => still().toColourspace('rgb16').png().toBuffer(),
  },
  {
    kind: 'image',
    name: 'palette.png',
    mime: 'image/png',
    make: () => still().png({ palette: true }).toBuffer(),
  },
  { kind: 'image', name: 'turned.jpg', mime: 'image/jpeg', make: turnedJpeg },
  {
    kind: 'image',
    name: 'print.jpeg',
    mime: 'image/jpeg',
    isPrint: true,
    make: () => still().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer(),
  },
  {
    kind: 'image',
    name: 'web.webp',
    mime: 'image/webp',
    make: () => still().webp({ quality: 92 }).toBuffer(),
  },
  { kind: 'image', name: 'scan.tif', mime: 'image/tiff', make: () => still().tiff().toBuffer() },
  {
    kind: 'image',
    name: 'packed.tiff',
    mime: 'image/tiff',
    make: () => still().tiff({ compression: 'lzw' }).toBuffer(),
  },
  { kind: 'video', name: 'h264.mp4', mime: 'video/mp4', make: film('mp4', 'libx264', withSound('aac')) },
  {
    kind: 'video',
    name: 'turned.mp4',
    mime: 'video/mp4',
    make: film('mp4', 'libx264', { rotation: 90 }),
    isTurned: true,
  },
  { kind: 'video', name: 'hevc.mov', mime: 'video/quicktime', make: film('mov', 'libx265') },
  {
    kind: 'video',
    name: 'mpeg4.mkv',
    mime: 'video/x-matroska',
    make: film('matroska', 'mpeg4', withSound('flac')),
  },
  {
    kind: 'video',
    name: 'vp8.webm',
    mime: 'video/webm',
    make: film('webm', 'libvpx', withSound('libvorbis')),
  },
  { kind: 'video', name: 'av1.webm', mime: 'video/webm', make: film('webm', 'libsvtav1') },
  {
    kind: 'video',
    name: 'mpeg4.avi',
    mime: 'video/x-msvideo',
    make: film('avi', 'mpeg4', withSound('libmp3lame')),
  },
  { kind: 'video', name: 'h264.ts', mime: 'video/mp2t', make: film('mpegts', 'libx264', withSound('aac')) },
  {
    kind: 'video',
    name: 'mpeg2.mpg',
    mime: 'video/mpeg',
    // MPEG-2 has no slower rate than 23.976.
    make: film('mpeg', 'mpeg2video', { ...withSound('mp2'), fps: 25 }),
  },
  { kind: 'video', name: 'camera.h264', mime: 'video/h264', make: film('h264', 'libx264', RAW) },
  { kind: 'video', name: 'camera.h265', mime: 'video/h265', make: film('hevc', 'libx265', RAW) },
  { kind: 'video', name: 'phone.3gp', mime: 'video/3gpp', make: film('3gp', 'mpeg4', withSound('aac')) },
  {
    kind: 'video',
    name: 'theora.ogv',
    mime: 'video/ogg',
    make: film('ogg', 'libtheora', withSound('libvorbis')),
  },
  { kind: 'video', name: 'h264.flv', mime: 'video/x-flv', make: film('flv', 'libx264', withSound('aac')) },
  { kind: 'video', name: 'old.wmv', mime: 'video/x-ms-wmv', make: film('asf', 'wmv2', withSound('wmav2')) },
  { kind: 'audio', name: 'a.mp3', mime: 'audio/mpeg', make: sound('mp3', 'libmp3lame') },
  { kind: 'audio', name: 'a.wav', mime: 'audio/wav', make: sound('wav', 'pcm_s16le') },
  {
    kind: 'audio',
    name: 'telephone.wav',
    mime: 'audio/wav',
    make: sound('wav', 'pcm_mulaw', { rate: 8000 }),
  },
  { kind: 'audio', name: 'vorbis.ogg', mime: 'audio/ogg', make: sound('ogg', 'libvorbis') },
  { kind: 'audio', name: 'opus.ogg', mime: 'audio/ogg', make: sound('ogg', 'libopus', { rate: 48_000 }) },
  { kind: 'audio', name: 'a.flac', mime: 'audio/flac', make: sound('flac', 'flac', { channels: 2 }) },
  { kind: 'audio', name: 'a.aac', mime: 'audio/aac', make: sound('adts', 'aac') },
  { kind: 'audio', name: 'a.3gp', mime: 'audio/3gp', make: sound('3gp', 'aac', { rate: 16_000 }) },
  { kind: 'audio', name: 'a.m4a', mime: 'audio/m4a', make: branded('M4A ') },
  { kind: 'audio', name: 'a.m4b', mime: 'audio/m4b', make: branded('M4B ') },
  { kind: 'audio', name: 'a.m4p', mime: 'audio/m4p', make: branded('M4P ') },
  { kind: 'audio', name: 'a.m4r', mime: 'audio/m4r', make: branded('M4R ') },
  { kind: 'audio', name: 'a.mp4', mime: 'video/mp4', make: sound('mp4', 'aac', { channels: 2 }) },
  {
    kind: 'image',
    name: 'phone.heic',
    mime: 'image/heic',
    make: () => makeHeic({ rgb: RGB, width: WIDTH, height: HEIGHT, tile: 128 }),
    isForeign: true,
  },
  {
    kind: 'image',
    name: 'a.avif',
    mime: 'image/avif',
    make: () => still().avif({ quality: 85 }).toBuffer(),
    isForeign: true,
  },
  { kind: 'image', name: 'a.gif', mime: 'image/gif', make: () => still().gif().toBuffer(), isForeign: true },
  {
    kind: 'image',
    name: 'a.jxl',
    mime: 'image/jxl',
    make: () => makeJxl(RGB, WIDTH, HEIGHT),
    isForeign: true,
  },
  { kind: 'audio', name: 'a.aiff', mime: 'audio/aiff', make: sound('aiff', 'pcm_s16be'), isForeign: true },
  {
    kind: 'audio',
    name: 'a.ac3',
    mime: 'audio/ac3',
    make: sound('ac3', 'ac3', { rate: 48_000 }),
    isForeign: true,
  },
];

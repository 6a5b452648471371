/** Media on which training and daemon must agree: `parity-media.ts FOLDER` writes them for parity.py and publish.py. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AV_PIX_FMT_YUV420P, FF_ENCODER_FLAC, FF_ENCODER_LIBX264 } from 'node-av/constants';
import sharp, { type Sharp } from 'sharp';
import type { SampleRange } from '../../src/domain/verdicts/speech.ts';
import { makeSound, makeVideo } from './make-media.ts';
import { makeVoice } from './voice.ts';

export interface ParityFile {
  name: string;
  kind: 'image' | 'video' | 'audio';
  make: () => Promise<Buffer>;
}

/** A picture or a frame as training sees it. */
export interface ViewParity {
  width: number;
  height: number;
  positions: [x: number, y: number][];
  /** SHA-256 of the patches' bytes, one after the other. */
  patchesSha256: string;
  logits: number[];
}

export interface MediaParity extends StatedAnswer {
  file: string;
  views: ViewParity[];
}

/** What is stated of a record: calibrated, natural log-odds. */
export interface StatedAnswer {
  logOdds: number;
  probability: number;
}

/** A recording as training hears it; its speech is where the appliance's detector finds it. */
export interface SpeechParity extends StatedAnswer {
  file: string;
  /** SHA-256 of the decoded samples, 32-bit floats. */
  samplesSha256: string;
  speechSeconds: number;
  ranges: SampleRange[];
  logits: number[];
}

export interface SoundParity {
  sampleCount: number;
  ranges: SampleRange[];
  logits: number[];
}

export interface Parity {
  media?: MediaParity[];
  sound?: SoundParity;
  speech?: SpeechParity[];
}

interface Texture {
  /** Pixels left of it and above it are a slow gradient only. */
  from?: { x: number; y: number };
  isGrey?: boolean;
  /** Makes another picture of the same kind. */
  shift?: number;
}

/** Periods of the waves, pixels; without a common factor, so that no patch is like another. */
const PERIODS = [23, 37, 61, 211] as const;
const NOISE_PERIOD = 17;
/** A larger picture repeats them: painting fifty megapixels would take seconds. */
const PAINTED_ROWS_MAX = 1600;

/** 0 … 255, up and down; whole numbers in, a whole number out. */
function wave(at: number, period: number): number {
  const phase = at % (2 * period);
  return Math.floor((Math.min(phase, 2 * period - phase) * 255) / period);
}

/** Smooth waves in several directions under a little grain: neither flat nor noise, which the models refuse. */
function paint(
  width: number,
  height: number,
  { from = { x: 0, y: 0 }, isGrey, shift = 0 }: Texture = {},
): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  const painted = Math.min(height, PAINTED_ROWS_MAX);
  for (let y = 0, at = 0; y < painted; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const isFine = x >= from.x && y >= from.y;
      for (let channel = 0; channel < 3; channel++) {
        const hue = isGrey ? 0 : channel;
        const slow = 40 + wave(x + 2 * y + 97 * hue + shift, PERIODS[3] * 4) / 4;
        const fine =
          wave(3 * x + y + 11 * shift, PERIODS[0] * (hue + 1)) + wave(x + 2 * y, PERIODS[1] + 5 * hue);
        const grain = (x * x * 3 + y * y * 5 + x * y + 7 * shift + hue) % NOISE_PERIOD;
        rgb[at + channel] = isFine ? slow + fine / 6 + wave(y + 5 * x, PERIODS[2]) / 8 + grain : slow;
      }
    }
  }
  for (let y = painted; y < height; y += painted) rgb.copy(rgb, y * width * 3, 0, painted * width * 3);
  return rgb;
}

function picture(width: number, height: number, texture?: Texture): Sharp {
  return sharp(paint(width, height, texture), {
    raw: { width, height, channels: 3 },
    limitInputPixels: false,
  });
}

function image(name: string, make: () => Sharp): ParityFile {
  return { name, kind: 'image', make: async () => await make().toBuffer() };
}

const FULL_COLOUR = { quality: 90, chromaSubsampling: '4:4:4' } as const;
const HALF_COLOUR = { quality: 75, chromaSubsampling: '4:2:0' } as const;
const FILM = { width: 480, height: 320, fps: 5, seconds: 1 } as const;

/** Grey and without loss, so that every decoder shows the same pixels. */
function makeFilm(): Buffer {
  const { width, height } = FILM;
  return makeVideo({
    ...{ ...FILM, container: 'mp4', codec: FF_ENCODER_LIBX264, pixelFormat: AV_PIX_FMT_YUV420P },
    encoderOptions: { qp: '0' },
    paint: (index, rgb) => {
      paint(width, height, { isGrey: true, shift: index * 5 }).copy(rgb);
    },
  });
}

const VOICE_RATE = 16_000;

interface Turn {
  /** Silence before it. */
  pauseSeconds: number;
  pitchHz: number;
  seconds: number;
}

/** One voice after the other. FLAC has no loss, so that every decoder hears the same samples. */
function speech(name: string, turns: readonly Turn[]): ParityFile {
  const make = () => {
    const parts = turns.flatMap(({ pauseSeconds, pitchHz, seconds }) => [
      new Float32Array(pauseSeconds * VOICE_RATE),
      makeVoice({ seconds, pitchHz, sampleRate: VOICE_RATE }),
    ]);
    const samples = parts.flatMap((part) => [...part]);
    return makeSound({
      ...{ container: 'flac', codec: FF_ENCODER_FLAC, rate: VOICE_RATE, channels: 1 },
      seconds: samples.length / VOICE_RATE,
      wave: (time) => samples[Math.round(time * VOICE_RATE)] ?? 0,
    });
  };
  return { name, kind: 'audio', make: async () => make() };
}

export const PARITY_FILES: readonly ParityFile[] = [
  image('smallest.png', () => picture(200, 200).png()),
  image('landscape.png', () => picture(1000, 700).png()),
  image('tall.png', () => picture(150, 900).png()),
  image('corner.png', () => picture(2048, 1536, { from: { x: 1500, y: 1100 } }).png()),
  image('lossless.webp', () => picture(640, 480, { shift: 3 }).webp({ lossless: true, effort: 0 })),
  image('full-colour.jpg', () => picture(1200, 900).jpeg(FULL_COLOUR)),
  image('half-colour.jpg', () => picture(1203, 901).jpeg(HALF_COLOUR)),
  image('turned.jpg', () =>
    picture(900, 600, { shift: 1 }).jpeg(FULL_COLOUR).withMetadata({ orientation: 6 }),
  ),
  image('mirrored.jpg', () =>
    picture(700, 500, { shift: 2 }).jpeg(HALF_COLOUR).withMetadata({ orientation: 5 }),
  ),
  image('grey.jpg', () => picture(800, 640, { isGrey: true }).greyscale().jpeg(FULL_COLOUR)),
  image('50-megapixels.jpg', () => picture(8176, 6132).jpeg(HALF_COLOUR)),
  { name: 'film.mp4', kind: 'video', make: async () => makeFilm() },
  // A pause that ends a stretch: a second of silence is heard by no window.
  speech('talk.flac', [
    { pauseSeconds: 0.3, pitchHz: 120, seconds: 6.2 },
    { pauseSeconds: 1.1, pitchHz: 205, seconds: 3.4 },
  ]),
  // Shorter than a window: it is repeated, and the bounds of little speech hold.
  speech('word.flac', [{ pauseSeconds: 0.5, pitchHz: 140, seconds: 1.5 }]),
];

export function parityFile(name: string): ParityFile {
  const found = PARITY_FILES.find((file) => file.name === name);
  if (found === undefined) throw new Error(`no rule makes ${name}`);
  return found;
}

/** What training wrote beside a model. */
export async function readParity(id: string): Promise<Parity> {
  const path = join(import.meta.dirname, '../../models', id, 'parity.json');
  return JSON.parse(await readFile(path, 'utf8')) as Parity;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('expected a folder');
  await mkdir(folder, { recursive: true });
  for (const { name, make } of PARITY_FILES) await writeFile(join(folder, name), await make());
}

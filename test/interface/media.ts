/** Small media of every documented type; each call makes a file that nothing has analysed before. */
import sharp from 'sharp';
import { makeSound, makeVideo, type SoundRecipe, type VideoRecipe } from '../media/make-media.ts';
import { makeVoice } from '../media/voice.ts';

const RATE = 16_000;
const SECONDS = 3;
let made = 0;

export type StillFormat = 'png' | 'jpeg' | 'webp' | 'tiff';
export interface PictureRecipe {
  width?: number;
  height?: number;
  /** Bright is artificial to the tiny models, dark is human. */
  isBright?: boolean;
  format?: StillFormat;
}

export async function makePicture(recipe: PictureRecipe = {}): Promise<Buffer> {
  const { width = 240, height = 220, isBright = true, format = 'png' } = recipe;
  made += 1;
  const rgb = Buffer.alloc(width * height * 3, isBright ? 220 : 30);
  // A number in the first pixels and a texture, so that no two files are equal and none is flat.
  for (let at = 0; at < rgb.length; at += 11) rgb[at] = (rgb[at] ?? 0) + ((at * (made + 3)) % 23);
  rgb.writeUInt32LE(made, 0);
  return await sharp(rgb, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

const voices = new Map<string, Float32Array>();

/** Made once for its length and rate, at full loudness. */
function voiceOf(seconds: number, sampleRate: number): Float32Array {
  const key = `${seconds} s at ${sampleRate} Hz`;
  const voice = voices.get(key) ?? makeVoice({ seconds, sampleRate, amplitude: 1 });
  voices.set(key, voice);
  return voice;
}

/** A voice: quiet is human to the tiny model, loud is artificial. */
export function makeSpeech(recipe: Partial<SoundRecipe> = {}, amplitude = 0.5): Buffer {
  made += 1;
  const rate = recipe.rate ?? RATE;
  const seconds = recipe.seconds ?? SECONDS;
  const voice = voiceOf(seconds, rate);
  const loudness = amplitude * (1 - made / 10_000);
  const wave = (time: number): number => loudness * (voice[Math.floor(time * rate)] ?? 0);
  const base = { container: 'flac', codec: 'flac', seconds, rate, channels: 1, wave };
  return makeSound({ ...base, ...recipe } as SoundRecipe);
}

export function makeClip(recipe: Partial<VideoRecipe> = {}): Buffer {
  made += 1;
  const shade = made % 20;
  const paint = (index: number, rgb: Buffer): void => {
    rgb.fill(200 + ((index + shade) % 40));
    rgb.fill(shade * 10, 0, 4096);
  };
  const base = { container: 'mp4', codec: 'mpeg4', seconds: 2, width: 320, height: 256, fps: 5, paint };
  return makeVideo({ ...base, ...recipe } as VideoRecipe);
}

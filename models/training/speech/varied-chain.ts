/**
 * Owns one more copy of each file for training: a room, noise and a codec that no tier of the evaluation has.
 *
 * The draw comes from the file's name alone, so that it is the same at every run and says nothing of the label.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';

const RATE = 16_000;
const ROOM_RATE = 0.3;
/** Seconds in which a room's sound falls by 60 dB. */
const ROOM_SECONDS = [0.1, 0.6] as const;
const ROOM_DIRECT_DB = [0, 14] as const;
const NOISE_RATE = 0.5;
const NOISE_DB = [10, 35] as const;
/** Nepers of 60 dB. */
const DECAY = 6.9;
const SILENCE = 1e-6;
const FFMPEG_BYTES_MAX = 64 * 1024 * 1024;

interface Chain {
  rate: number;
  /** Options for Debian's ffmpeg, since node-av encodes neither GSM, Speex nor G.723.1. */
  encoder: string[];
  container: string;
}
const CHAINS: readonly Chain[] = [
  { rate: 48_000, encoder: ['libopus', '-b:a', '24000', '-application', 'voip'], container: 'ogg' },
  { rate: 8_000, encoder: ['libopus', '-b:a', '9000', '-application', 'voip'], container: 'ogg' },
  { rate: 22_050, encoder: ['libmp3lame', '-b:a', '32000'], container: 'mp3' },
  { rate: 16_000, encoder: ['aac', '-b:a', '32000'], container: 'adts' },
  { rate: 16_000, encoder: ['g722'], container: 'g722' },
  { rate: 8_000, encoder: ['g723_1', '-b:a', '6300'], container: 'matroska' },
  { rate: 8_000, encoder: ['libgsm'], container: 'gsm' },
  { rate: 8_000, encoder: ['libspeex', '-b:a', '11000'], container: 'ogg' },
];

/** Numbers in 0..1, by the name. */
function makeDraw(name: string): () => number {
  let state = createHash('sha256').update(`varied:${name}`).digest().readUInt32LE(0) || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Returns the samples, 16 kHz, as that file's room, noise and codec leave them. */
export function vary(samples: Float32Array, name: string): Float32Array {
  const draw = makeDraw(name);
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * draw();
  const chain = CHAINS[Math.floor(draw() * CHAINS.length)] as Chain;
  let sound = samples;
  if (draw() < ROOM_RATE) sound = addRoom(sound, between(ROOM_SECONDS), between(ROOM_DIRECT_DB), draw);
  if (draw() < NOISE_RATE) sound = addNoise(sound, between(NOISE_DB), draw);
  return passThrough(sound, chain);
}

/** A room as eighty echoes that die away. */
function addRoom(samples: Float32Array, seconds: number, directDb: number, draw: () => number): Float32Array {
  const echoes = Array.from({ length: 80 }, () => {
    const at = 0.002 + draw() * seconds * 0.7;
    return {
      delay: Math.round(at * RATE),
      gain: (draw() * 2 - 1) * Math.exp((-DECAY * at) / seconds),
    };
  });
  const energy = Math.sqrt(echoes.reduce((sum, { gain }) => sum + gain ** 2, 0)) || 1;
  const scale = 10 ** (-directDb / 20) / energy;
  const out = Float32Array.from(samples);
  for (const { delay, gain } of echoes) {
    const level = gain * scale;
    for (let at = delay; at < out.length; at++)
      out[at] = (out[at] as number) + level * (samples[at - delay] as number);
  }
  return out;
}

/** Noise between white and brown. */
function addNoise(samples: Float32Array, decibels: number, draw: () => number): Float32Array {
  const colour = 0.95 * draw();
  const noise = new Float32Array(samples.length);
  let last = 0;
  for (let at = 0; at < noise.length; at++) {
    last = colour * last + (draw() + draw() + draw() - 1.5);
    noise[at] = last;
  }
  const level = (toLoudness(samples) / Math.max(SILENCE, toLoudness(noise))) * 10 ** (-decibels / 20);
  return samples.map((value, at) => value + level * (noise[at] as number));
}

function toLoudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / Math.max(1, samples.length));
}

function passThrough(samples: Float32Array, { rate, encoder, container }: Chain): Float32Array {
  const raw = ['-f', 'f32le', '-ar', `${RATE}`, '-ac', '1'];
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const coded = runFfmpeg(
    [...raw, '-i', 'pipe:0', '-ar', `${rate}`, '-c:a', ...encoder, '-f', container, 'pipe:1'],
    bytes,
  );
  const decoded = runFfmpeg(['-f', READ_AS[container] ?? container, '-i', 'pipe:0', ...raw, 'pipe:1'], coded);
  return new Float32Array(Uint8Array.from(decoded).buffer);
}

/** Where ffmpeg reads a format under another name than it writes it. */
const READ_AS: Partial<Record<string, string>> = { adts: 'aac' };

function runFfmpeg(options: readonly string[], input: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...options], {
    input,
    maxBuffer: FFMPEG_BYTES_MAX,
  });
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return stdout;
}

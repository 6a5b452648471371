/**
 * Finds speech in every clip and places windows in it as the appliance does, and runs a graph on each window.
 * Writes WORK/heard/NAME.f32, the graph's outputs one window after the other, and NAME.json: of each clip its seconds
 * of speech, of each window its clip and where it lies (offset and length, in samples).
 *
 * usage: node hear-clips.ts WORK GRAPH OUTPUT WINDOW_SAMPLES HOP_SAMPLES NAME=VARIANT[:SECONDS,SECONDS] ...
 * With seconds only the middle of each clip is heard; the lengths take turns over the clips.
 */
import { mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import {
  findSpeech,
  placeWindows,
  planClips,
  type SampleRange,
  secondsOf,
  uniteClips,
} from '../../../src/domain/verdicts/speech.ts';
import { findDetector } from '../../../src/engine/packs/installed-packs.ts';
import { fill } from './tier-sound.ts';

const RATE = 16_000;
const FRAME_SAMPLES = 512;
const CONTEXT_SAMPLES = 64;
const STATE = [2, 128] as const;
/** Clips that step through the detector side by side. */
const ROWS = 64;
/** Longer than any clip. */
const SECONDS_MAX = 3_600;
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };

interface Heard {
  speechSeconds: number;
  ranges: SampleRange[];
}

function readClips(variant: string, cropSeconds: readonly number[]): Float32Array[] {
  const { clips } = JSON.parse(readFileSync(join(work, 'clips.json'), 'utf8')) as {
    clips: { length: number }[];
  };
  const bytes = readFileSync(join(work, 'variants', `${variant}.s16`));
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  let end = 0;
  return clips.map(({ length }, index) => {
    end += length;
    const kept = Math.min(
      length,
      Math.round((cropSeconds[index % cropSeconds.length] ?? SECONDS_MAX) * RATE),
    );
    const start = end - length + Math.floor((length - kept) / 2);
    return Float32Array.from(samples.subarray(start, start + kept), (sample) => sample / 32_768);
  });
}

/** Probabilities of speech, one row per clip; rows past a clip's end are thrown away. */
async function detect(detector: InferenceSession, clips: readonly Float32Array[]): Promise<number[][]> {
  const steps = Math.ceil(Math.max(...clips.map(({ length }) => length)) / FRAME_SAMPLES);
  const width = CONTEXT_SAMPLES + FRAME_SAMPLES;
  const found: number[][] = clips.map(() => []);
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(RATE)), []);
  let state = new Tensor('float32', new Float32Array(STATE[0] * clips.length * STATE[1]), [
    ...[STATE[0], clips.length, STATE[1]],
  ]);
  for (let step = 0; step < steps; step++) {
    const frames = new Float32Array(clips.length * width);
    for (const [row, clip] of clips.entries()) {
      const from = step * FRAME_SAMPLES - CONTEXT_SAMPLES;
      const inside = clip.subarray(Math.max(0, from), Math.max(0, from + width));
      frames.set(inside, row * width + Math.max(0, -from));
    }
    const input = new Tensor('float32', frames, [clips.length, width]);
    const { output, stateN } = await detector.run({ input, state, sr });
    state = stateN as typeof state;
    for (const [row, clip] of clips.entries()) {
      if (step * FRAME_SAMPLES < clip.length) found[row]?.push(Number(output?.data[row]));
    }
  }
  return found;
}

function place(clip: Float32Array, probabilities: readonly number[]): Heard {
  const seconds = clip.length / RATE;
  const segments = findSpeech(probabilities, FRAME_SAMPLES / RATE, seconds);
  const judged = uniteClips(planClips(segments, seconds));
  const layout = { windowSamples, hopSamples, countMax: 256 };
  const sound = { sampleRate: RATE, sampleCount: clip.length };
  return { speechSeconds: secondsOf(segments), ranges: placeWindows(judged, layout, sound) };
}

async function hear(name: string, variant: string, cropSeconds: readonly number[]): Promise<void> {
  const clips = readClips(variant, cropSeconds);
  const heard: Heard[] = [];
  for (let start = 0; start < clips.length; start += ROWS) {
    const part = clips.slice(start, start + ROWS);
    const probabilities = await detect(detector, part);
    heard.push(...part.map((clip, row) => place(clip, probabilities[row] ?? [])));
  }
  const path = join(folder, name);
  const file = openSync(`${path}.f32.tmp`, 'w');
  const owners: number[] = [];
  for (const [clip, { ranges }] of heard.entries()) {
    const samples = clips[clip];
    for (const range of samples === undefined ? [] : ranges) {
      const sound = new Tensor('float32', fill(samples as Float32Array, range, windowSamples), [
        1,
        windowSamples,
      ]);
      const values = (await graph.run({ sound }, [outputName]))[outputName]?.data as Float32Array;
      writeSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      owners.push(clip);
    }
  }
  renameSync(`${path}.f32.tmp`, `${path}.f32`);
  const ranges = heard.flatMap((one) => one.ranges.map(({ offset, length }) => [offset, length]));
  const speechSeconds = heard.map(({ speechSeconds }) => Math.round(speechSeconds * 1000) / 1000);
  writeFileSync(`${path}.json`, JSON.stringify({ windowSamples, hopSamples, speechSeconds, owners, ranges }));
  console.log(`${name}: ${owners.length} windows of ${clips.length} clips`);
}

const [work = '', graphPath = '', outputName = '', windowText, hopText, ...jobs] = process.argv.slice(2);
const [windowSamples, hopSamples] = [Number(windowText), Number(hopText)];
const folder = join(work, 'heard');
mkdirSync(folder, { recursive: true });
const found = (await findDetector()).installed[0];
if (found === undefined) throw new Error('the speech detector is missing: run npm ci');
const detector = await InferenceSession.create(found.modelPath, SESSION);
const graph = await InferenceSession.create(graphPath, SESSION);
for (const job of jobs) {
  const [name = '', from = ''] = job.split('=');
  const [variant = '', seconds = `${SECONDS_MAX}`] = from.split(':');
  await hear(name, variant, seconds.split(',').map(Number));
}

/**
 * Compares a pack with the training code and times it, with the appliance's own runtime.
 *
 * usage: node parity.ts PACK_FOLDER
 * PACK_FOLDER holds model.onnx and golden.json (after export.py) or model.json.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const WINDOW_SAMPLES = 20_480;
const HOP_SAMPLES = 10_240;
const GOLDEN_COUNT = 4;
const BATCH = 16;
const ROUNDS = 8;
const RATE = 16_000;

function makeGoldenWindows(): Float32Array {
  const sound = new Float32Array(GOLDEN_COUNT * WINDOW_SAMPLES);
  for (let index = 0; index < GOLDEN_COUNT; index++) {
    for (let time = 0; time < WINDOW_SAMPLES; time++) {
      const noise = ((time * 1_103_515_245 + 12_345 * (index + 1)) % 2 ** 31) / 2 ** 30 - 1;
      sound[index * WINDOW_SAMPLES + time] = 0.1 * Math.sin(0.05 * (index + 1) * time) + 0.05 * noise;
    }
  }
  return sound;
}

function readExpected(folder: string): number[] {
  const name = existsSync(join(folder, 'golden.json')) ? 'golden.json' : 'model.json';
  const content = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return (content.golden ?? content).expected;
}

async function run(session: InferenceSession, sound: Float32Array, count: number): Promise<number[]> {
  const { logit } = await session.run({ sound: new Tensor('float32', sound, [count, WINDOW_SAMPLES]) });
  if (logit === undefined) throw new Error('expected an output named logit, found none');
  return Array.from(logit.data as Float32Array);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node parity.ts PACK_FOLDER');
const session = await InferenceSession.create(join(folder, 'model.onnx'), {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
});
const found = await run(session, makeGoldenWindows(), GOLDEN_COUNT);
const expected = readExpected(folder);
const difference = Math.max(
  ...found.map((value, index) => Math.abs(value - (expected[index] ?? Number.NaN))),
);
console.log(
  `golden logits differ by at most ${difference.toExponential(2)}: ${found.map((v) => v.toFixed(5))}`,
);

const batch = new Float32Array(BATCH * WINDOW_SAMPLES);
for (let index = 0; index < BATCH / GOLDEN_COUNT; index++) {
  batch.set(makeGoldenWindows(), index * GOLDEN_COUNT * WINDOW_SAMPLES);
}
await run(session, batch, BATCH);
const used = process.cpuUsage();
for (let round = 0; round < ROUNDS; round++) await run(session, batch, BATCH);
const { user, system } = process.cpuUsage(used);
const seconds = (user + system) / 1e6;
const sound = (BATCH * ROUNDS * HOP_SAMPLES) / RATE;
console.log(
  `${((BATCH * ROUNDS) / seconds).toFixed(0)} windows a second of processor time, ${(sound / seconds).toFixed(0)} x realtime`,
);

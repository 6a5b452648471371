/**
 * Hears whole files as the appliance does, each as found, by MP3 and by telephone: the copies are those of the evaluation
 * (evaluate/sound-tiers.ts), so that what is learnt and what is measured are made by one code.
 *
 * Reads LIST, one line a file: its name below FOLDER. Writes OUT/PART-N.f32 with the rows of the graphs, window by window, and
 * OUT/PART-N.jsonl with a line for each file and tier: file, tier, seconds of speech, windows. Goes on where it stopped.
 *
 * A graph of frames (frames_graph.py) has further outputs: OUT/PART-N.f16 holds them, window by window, layer by layer, in half precision.
 *
 * usage: node hear-files.ts LIST FOLDER OUT ENCODER_GRAPH STATISTICS_GRAPH [one-band | varied]
 * With one-band each file is heard once, limited to one band, to see what the models lean on; with varied once, by a room, noise
 * or a codec that no tier has (varied-chain.ts).
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { fill, type Heard, hearSpeech, readTier, TIERS, type Tier } from './tier-sound.ts';
import { openDetector } from './voice-detector.ts';

const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1 };
/** Only the beginning of a long recording is heard: breadth counts, not depth. */
const SECONDS_MAX = 30;

interface Graph {
  session: InferenceSession;
  /** The first is the row; the others, where there are any, are frames. */
  outputs: readonly string[];
  windowSamples: number;
  hopSamples: number;
  /** Windows of one file and tier, spread evenly. */
  windowsMax: number;
}

async function run(graph: Graph, samples: Float32Array, heard: Heard): Promise<Float32Array[][]> {
  const rows: Float32Array[][] = [];
  for (const range of heard.place(graph, graph.windowsMax)) {
    const sound = new Tensor('float32', fill(samples, range, graph.windowSamples), [1, graph.windowSamples]);
    const answer = await graph.session.run({ sound }, graph.outputs);
    rows.push(graph.outputs.map((name) => answer[name]?.data as Float32Array));
  }
  return rows;
}

async function hear(file: string, tier: Tier): Promise<void> {
  const samples = readTier({ folder, file }, tier, { secondsMax: SECONDS_MAX, scratch: base });
  const heard = await hearSpeech(samples, detect);
  const rows = await run(encoder, samples, heard);
  const logits = (await run(statistics, samples, heard)).map(([row]) => Number(row?.[0]));
  for (const [row, ...frames] of rows) {
    append('f32', row as Float32Array);
    for (const layer of frames) append('f16', new Float16Array(layer));
  }
  const mean = logits.length === 0 ? null : logits.reduce((sum, value) => sum + value, 0) / logits.length;
  const { speechSeconds } = heard;
  const line = { file, tier, speechSeconds, windows: rows.length, statistics: mean };
  appendFileSync(`${base}.jsonl`, `${JSON.stringify(line)}\n`);
}

function append(kind: 'f32' | 'f16', values: Float32Array | Float16Array): void {
  appendFileSync(`${base}.${kind}`, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

/** Lines that were written whole, and drops rows of a file that was cut off. */
function resume(): Set<string> {
  if (!existsSync(`${base}.jsonl`)) return new Set();
  const lines = readFileSync(`${base}.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const windows = lines.reduce((sum, line) => sum + (line.windows ?? 0), 0);
  if (existsSync(`${base}.f32`)) truncateSync(`${base}.f32`, windows * FEATURE_BYTES);
  if (existsSync(`${base}.f16`)) truncateSync(`${base}.f16`, windows * FRAMES_BYTES);
  return new Set(lines.map((line) => `${line.file} ${line.tier}`));
}

const [list = '', folder = '', out = '', encoderPath = '', statisticsPath = '', only] = process.argv.slice(2);
const tiers: readonly Tier[] = only === 'one-band' || only === 'varied' ? [only] : TIERS;
const FEATURE_BYTES = 4 * 4_992;
/** A window has four layers of 82 frames, and each frame has 416 numbers. */
const FRAMES_BYTES = 2 * 4 * 82 * 416;
mkdirSync(out, { recursive: true });
const base = join(out, list.replace(/^.*\//, '').replace(/\.[^.]*$/, ''));
const done = resume();
const detect = await openDetector();
const open = (path: string) => InferenceSession.create(path, SESSION);
const features = await open(encoderPath);
const encoder: Graph = {
  session: features,
  outputs: features.outputNames,
  windowSamples: 32_000,
  hopSamples: 24_000,
  windowsMax: 3,
};
const statistics: Graph = {
  session: await open(statisticsPath),
  outputs: ['logit'],
  windowSamples: 20_480,
  hopSamples: 10_240,
  windowsMax: 8,
};
const started = Date.now();
let count = 0;
for (const file of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  for (const tier of tiers) {
    if (done.has(`${file} ${tier}`)) continue;
    try {
      await hear(file, tier);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      appendFileSync(`${base}.jsonl`, `${JSON.stringify({ file, tier, windows: 0, fault: reason })}\n`);
    }
  }
  if (++count % 50 === 0)
    console.log(
      `${count} files in ${Math.round((Date.now() - started) / 1000)} s, ${statSync(`${base}.f32`).size} bytes`,
    );
}

/**
 * Cuts the windows that the encoder learns from, as the appliance would cut them, of each file as found, by MP3 and by telephone.
 * Speech is found in each by itself. How narrow its band is is noted too.
 *
 * Reads LIST, one line a file: its name below FOLDER. Writes OUT/LIST.i16, windows of 32,000 samples of 16 bits one after the other,
 * and OUT/LIST.jsonl with a line for each file and tier: file, tier, seconds of speech, windows, decibels of the upper band. Goes on where it stopped.
 *
 * usage: node record-windows.ts LIST FOLDER OUT [TIER …]
 * Tiers are those of the evaluation (clean, mp3-64 and telephone if none is named), or one-band: limited to one band, to see what the models lean on.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { BandMeter } from '../../../src/worker/steps/sound-files.ts';
import { fill, hearSpeech, readTier, TIERS } from './tier-sound.ts';
import { openDetector } from './voice-detector.ts';

const LAYOUT = { windowSamples: 32_000, hopSamples: 24_000 };
/** Only the beginning of a long recording is heard: breadth counts, not depth. */
const SECONDS_MAX = 15;
/** Windows of one file and tier. */
const WINDOWS_MAX = 4;
const FULL_SCALE = 32_768;

async function record(file: string, tier: string): Promise<void> {
  const samples = readTier({ folder, file }, tier, { secondsMax: SECONDS_MAX, scratch: base });
  const heard = await hearSpeech(samples, detect);
  const ranges = heard.place(LAYOUT, WINDOWS_MAX);
  for (const range of ranges) {
    appendFileSync(`${base}.i16`, toIntegers(fill(samples, range, LAYOUT.windowSamples)));
  }
  const meter = new BandMeter();
  meter.feed(samples);
  const { speechSeconds } = heard;
  const { upperBandDb } = meter;
  note({ file, tier, speechSeconds, windows: ranges.length, upperBandDb });
}

function note(line: object): void {
  appendFileSync(`${base}.jsonl`, `${JSON.stringify(line)}\n`);
}

function toIntegers(window: Float32Array): Uint8Array {
  const integers = Int16Array.from(window, (sample) =>
    Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE))),
  );
  return new Uint8Array(integers.buffer);
}

/** What was written whole; drops windows of a file that was cut off. */
function resume(): Set<string> {
  if (!existsSync(`${base}.jsonl`)) return new Set();
  const lines = readFileSync(`${base}.jsonl`, 'utf8').split('\n').filter(Boolean);
  const done = lines.map((line) => JSON.parse(line));
  const windows = done.reduce((sum, line) => sum + line.windows, 0);
  if (existsSync(`${base}.i16`)) truncateSync(`${base}.i16`, windows * LAYOUT.windowSamples * 2);
  return new Set(done.map((line) => `${line.file} ${line.tier}`));
}

const [list = '', folder = '', out = '', ...named] = process.argv.slice(2);
const tiers = named.length > 0 ? named : TIERS;
mkdirSync(out, { recursive: true });
const base = join(out, list.replace(/^.*\//, '').replace(/\.[^.]*$/, ''));
const done = resume();
const detect = await openDetector();
for (const file of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  for (const tier of tiers) {
    if (done.has(`${file} ${tier}`)) continue;
    try {
      await record(file, tier);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      note({ file, tier, windows: 0, fault });
    }
  }
}

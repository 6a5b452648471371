/**
 * How much speech the voice detector hears in the first twelve seconds of each file: what has none does not belong among voices.
 *
 * usage: node speech-seconds.ts LIST FOLDER OUT.tsv    (a line a file: name, seconds of speech, or why it cannot be heard; goes on where it stopped)
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeMono } from '../../../evaluate/sound-tiers.ts';
import { findSpeech, secondsOf } from '../../../src/domain/verdicts/speech.ts';
import { FRAME_SAMPLES, openDetector } from './voice-detector.ts';

const RATE = 16_000;
const SECONDS_MAX = 12;

async function hear(path: string): Promise<string> {
  try {
    const samples = decodeMono(path, RATE, SECONDS_MAX).subarray(0, SECONDS_MAX * RATE);
    const segments = findSpeech(await detect(samples), FRAME_SAMPLES / RATE, samples.length / RATE);
    return secondsOf(segments).toFixed(2);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const [list = '', folder = '', out = ''] = process.argv.slice(2);
const detect = await openDetector();
const known = existsSync(out) ? readFileSync(out, 'utf8').split('\n') : [];
const done = new Set(known.map((line) => line.split('\t')[0]));
for (const file of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  if (!done.has(file)) appendFileSync(out, `${file}\t${await hear(join(folder, file))}\n`);
}

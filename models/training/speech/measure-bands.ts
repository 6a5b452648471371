/**
 * How much of each whole file lies above a telephone's band, as found, by MP3 and by telephone: measured by the appliance's own
 * code, so that bounds by band are chosen for what it will see.
 *
 * usage: node measure-bands.ts LIST FOLDER OUT.jsonl    (a line for each file and tier; goes on where it stopped)
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeMono, toMp3, toTelephone } from '../../../evaluate/sound-tiers.ts';
import { BandMeter } from '../../../src/worker/steps/band-meter.ts';

const RATE = 16_000;
/** As in hear-files.ts. */
const SECONDS_MAX = 30;
const TIERS = {
  clean: (path: string) => decodeMono(path, RATE, SECONDS_MAX),
  'mp3-64': (path: string) => decodeCopy(toMp3(path, SECONDS_MAX), 'mp3'),
  telephone: (path: string) => decodeCopy(toTelephone(path, SECONDS_MAX), 'wav'),
};

function decodeCopy(bytes: Buffer, ending: string): Float32Array {
  const copy = `${out}.${ending}`;
  writeFileSync(copy, bytes);
  try {
    return decodeMono(copy, RATE, SECONDS_MAX);
  } finally {
    rmSync(copy);
  }
}

function measure(samples: Float32Array): number | null {
  const meter = new BandMeter();
  meter.feed(samples);
  return meter.upperBandDb;
}

const [list = '', folder = '', out = ''] = process.argv.slice(2);
const known = existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n').filter(Boolean) : [];
const done = new Set(known.map((line) => JSON.parse(line).file));
for (const file of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  if (done.has(file)) continue;
  const lines = Object.entries(TIERS).map(([tier, read]) => {
    try {
      return { file, tier, upperBandDb: measure(read(join(folder, file))) };
    } catch (error) {
      return { file, tier, upperBandDb: null, fault: error instanceof Error ? error.message : String(error) };
    }
  });
  appendFileSync(out, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

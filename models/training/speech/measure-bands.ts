/**
 * How much of each whole file lies above a telephone's band, as found, by MP3 and by telephone: measured by the appliance's own
 * code, so that bounds by band are chosen for what it will see.
 *
 * usage: node measure-bands.ts LIST FOLDER OUT.jsonl    (a line for each file and tier; goes on where it stopped)
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { BandMeter } from '../../../src/worker/steps/band-meter.ts';
import { readTier, TIERS, type Tier } from './tier-sound.ts';

/** As in hear-files.ts. */
const SECONDS_MAX = 30;

function measure(file: string, tier: Tier): number | null {
  const meter = new BandMeter();
  meter.feed(readTier({ folder, file }, tier, { secondsMax: SECONDS_MAX, scratch: out }));
  return meter.upperBandDb;
}

const [list = '', folder = '', out = ''] = process.argv.slice(2);
const known = existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n').filter(Boolean) : [];
const done = new Set(known.map((line) => JSON.parse(line).file));
for (const file of readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  if (done.has(file)) continue;
  const lines = TIERS.map((tier) => {
    try {
      return { file, tier, upperBandDb: measure(file, tier) };
    } catch (error) {
      return { file, tier, upperBandDb: null, fault: error instanceof Error ? error.message : String(error) };
    }
  });
  appendFileSync(out, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

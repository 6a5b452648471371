/**
 * `npm run bench -- [--json] [ROW…]`: measures this machine, judges nothing; the rows are those of MEASUREMENTS. It
 * ends with 0 even if a row could not be taken, because a figure of a busy machine must not fail a build.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { bundleProgram } from '../packaging/program-bundle.ts';
import { BUILD_FOLDER } from '../src/built-program.ts';
import { PROGRAM_FOLDER } from '../src/machinery/program-folder.ts';
import { type Row, type RowSummary, summarise } from './row.ts';
import { measureAccepted } from './rows/accepted.ts';
import { measureCeiling } from './rows/ceiling.ts';
import { measureCustody } from './rows/custody.ts';
import { measureDecodeSteps } from './rows/decode-steps.ts';
import { measureFolders } from './rows/folders.ts';
import { measureLikenesses } from './rows/likenesses.ts';
import { measurePage } from './rows/page.ts';
import { measurePeers } from './rows/peers.ts';
import { measurePhotograph } from './rows/photograph.ts';
import { measurePhotos } from './rows/photos.ts';
import { measureRecords } from './rows/records.ts';
import { measureSaidWords } from './rows/said-words.ts';
import { measureScaling, measureSubmitters } from './rows/scaling.ts';
import { measureSizes } from './rows/sizes.ts';
import { measureSpeech } from './rows/speech.ts';
import { measureStartUp } from './rows/start-up.ts';
import { measureTranscripts } from './rows/transcripts.ts';
import { measureUnderLoad } from './rows/under-load.ts';
import { measureUploads } from './rows/uploads.ts';
import { measureFrames, measureVideos } from './rows/videos.ts';
import { measureWatchers } from './rows/watchers.ts';
import { measureWorkers } from './rows/workers.ts';

interface Fault {
  name: string;
  message: string;
}

interface Measurement {
  name: string;
  measure: () => Promise<Row[]>;
  /** Taken only if it is named: it is long, or needs what most machines lack. */
  onlyNamed?: boolean;
}

const MEASUREMENTS: Measurement[] = [
  { name: 'start-up', measure: measureStartUp },
  { name: 'pictures', measure: measurePhotos },
  { name: 'photograph', measure: measurePhotograph },
  { name: 'under-load', measure: measureUnderLoad },
  { name: 'videos', measure: measureVideos },
  { name: 'frames', measure: measureFrames },
  { name: 'speech', measure: measureSpeech },
  { name: 'records', measure: measureRecords },
  { name: 'accepted', measure: measureAccepted },
  { name: 'custody', measure: measureCustody },
  { name: 'likenesses', measure: measureLikenesses },
  { name: 'said-words', measure: measureSaidWords },
  { name: 'uploads', measure: measureUploads },
  { name: 'page', measure: measurePage },
  { name: 'ceiling', measure: measureCeiling, onlyNamed: true },
  { name: 'decode-steps', measure: measureDecodeSteps, onlyNamed: true },
  { name: 'peers', measure: measurePeers, onlyNamed: true },
  { name: 'scaling', measure: measureScaling, onlyNamed: true },
  { name: 'submitters', measure: measureSubmitters, onlyNamed: true },
  { name: 'watchers', measure: measureWatchers, onlyNamed: true },
  { name: 'folders', measure: measureFolders, onlyNamed: true },
  { name: 'sizes', measure: measureSizes, onlyNamed: true },
  { name: 'workers', measure: measureWorkers, onlyNamed: true },
  { name: 'transcripts', measure: measureTranscripts, onlyNamed: true },
];

const { values, positionals: wanted } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
// A release starts in this form; a checkout does after npm run build.
await bundleProgram({ root: PROGRAM_FOLDER, out: BUILD_FOLDER, isBound: true });
const [loadBefore] = loadavg();
const rows: RowSummary[] = [];
const faults: Fault[] = [];
for (const { name, measure, onlyNamed = false } of MEASUREMENTS) {
  if (wanted.length > 0 ? !wanted.includes(name) : onlyNamed) continue;
  process.stderr.write(`measuring ${name} …\n`);
  try {
    rows.push(...(await measure()).map(summarise));
  } catch (error) {
    faults.push({ name, message: error instanceof Error ? error.message : String(error) });
  }
}
process.stdout.write(values.json ? `${JSON.stringify({ loadBefore, rows, faults }, null, 2)}\n` : toText());

function toText(): string {
  const table = new Table({
    head: ['', 'median', 'worst', 'unit', 'bare', 'ratio'],
    colAligns: ['left', 'right', 'right', 'left', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { name, median, worst, unit, bareMedian, ratio } of rows) {
    table.push([name, toFigure(median), toFigure(worst), unit, toFigure(bareMedian), toFigure(ratio)]);
  }
  const unmeasured = faults.map(({ name, message }) => `not measured: ${name}: ${message}\n`);
  return `${table.toString()}\nload before: ${toFigure(loadBefore ?? null)}\n${unmeasured.join('')}`;
}

function toFigure(value: number | null): string {
  if (value === null) return '';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

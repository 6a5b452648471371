/**
 * `npm run fuzz -- --minutes N --seed S`, or `--files N`: real files of every accepted format, damaged at
 * random, at decode children and, one in ten, as submissions. Files that crash or hang a child are kept. Exit
 * code 1 if the daemon died, a record did not end, or an answer was wrong. A seed repeats the files.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDaemon } from '../daemon.ts';
import { isAlive, rssAnonBytes } from '../faults/rounds/processes.ts';
import { KEY_HEADERS, pidOf, until } from '../faults/rounds/submissions.ts';
import { makeCorpus, type Sample } from './fuzzing/corpus.ts';
import { PoolFuzzer, type PoolResult } from './fuzzing/fuzz-pool.ts';
import { mutate } from './fuzzing/mutate.ts';
import { numberArgument, Random } from './random.ts';

const MINUTES_DEFAULT = 2;
/** Bound for a run that counts files instead of minutes. */
const FILES_MINUTES_MAX = 24 * 60;
/** Every so many files also goes the whole way. */
const SUBMIT_EVERY = 10;
const FINDINGS_MAX = 100;
const END_TIMEOUT_MS = 300_000;
/** What a bad file, or a busy box, may be answered with. */
const ANSWERS: readonly number[] = [200, 400, 402, 413, 422, 429, 503];
const PATHS = {
  image: { path: '/api/classification', field: 'image' },
  video: { path: '/api/classification_video', field: 'video' },
  audio: { path: '/api/classification_audio', field: 'audio' },
} as const;

interface Tally {
  files: number;
  decoded: number;
  refused: number;
  crashed: number;
  hung: number;
  strange: number;
}

interface Extreme {
  format: string;
  file: number;
  figure: number;
}

class Report {
  readonly byFormat = new Map<string, Tally>();
  readonly answers: Record<string, number> = {};
  readonly problems: string[] = [];
  readonly #folder: string;
  slowest: Extreme = { format: '', file: 0, figure: 0 };
  biggest: Extreme = { format: '', file: 0, figure: 0 };
  #findings = 0;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get files(): number {
    return [...this.byFormat.values()].reduce((total, { files }) => total + files, 0);
  }

  get findings(): number {
    return this.#findings;
  }

  note(
    { format }: Sample,
    file: number,
    bytes: Buffer,
    { outcome, ms, peakBytes, message }: PoolResult,
  ): void {
    const none: Tally = { files: 0, decoded: 0, refused: 0, crashed: 0, hung: 0, strange: 0 };
    const tally = this.byFormat.get(format) ?? none;
    tally.files += 1;
    tally[outcome] += 1;
    this.byFormat.set(format, tally);
    if (ms > this.slowest.figure) this.slowest = { format, file, figure: ms };
    if (peakBytes > this.biggest.figure) this.biggest = { format, file, figure: peakBytes };
    if (outcome === 'strange') this.problems.push(`file ${file} (${format}): ${message}`);
    if (outcome !== 'decoded' && outcome !== 'refused')
      this.keep(format, file, bytes, `${outcome}: ${message}`);
  }

  keep(format: string, file: number, bytes: Buffer, why: string): void {
    this.#findings += 1;
    if (this.#findings > FINDINGS_MAX) return;
    const name = `${file}-${format.replaceAll(' ', '-')}`;
    writeFileSync(join(this.#folder, name), bytes);
    process.stdout.write(`  ${name}: ${why}\n`);
  }
}

interface Extent {
  minutes: number;
  files: number;
}

async function fuzz({ minutes, files }: Extent, seed: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-fuzz-'));
  const report = new Report(join(folder, 'findings'));
  const corpus = await makeCorpus();
  const extent = Number.isFinite(files) ? `${files} files` : `${minutes} minutes`;
  process.stdout.write(`fuzz: ${extent}, --seed ${seed}, ${corpus.length} formats, in ${folder}\n`);
  {
    await using pool = new PoolFuzzer(join(folder, 'pool'));
    await using daemon = await TestDaemon.start({ env: { ASSAY_LIMITS_VIDEO_HEIGHT_MIN: '1' } });
    const random = new Random(seed);
    const deadline = performance.now() + minutes * 60_000;
    for (let file = 1; file <= files && performance.now() < deadline; file++) {
      const sample = random.pick(corpus);
      const bytes = mutate(sample.bytes, random.pick(corpus).bytes, random);
      report.note(sample, file, bytes, await pool.try(sample, bytes));
      if (file % SUBMIT_EVERY === 0) await submit(daemon, report, sample, file, bytes);
      if (!isAlive(pidOf(daemon))) {
        report.keep(sample.format, file, bytes, 'the daemon died');
        report.problems.push(`the daemon died at file ${file}: ${daemon.stderr.join('\n')}`);
        break;
      }
    }
    await assertAllEnd(daemon, report);
  }
  print(report);
  if (report.findings === 0) rmSync(folder, { recursive: true, force: true });
  return report.problems.length === 0;
}

async function submit(
  daemon: TestDaemon,
  report: Report,
  sample: Sample,
  file: number,
  bytes: Buffer,
): Promise<void> {
  const { path, field } = PATHS[sample.kind];
  const body = new FormData();
  body.set(field, new Blob([new Uint8Array(bytes)]), 'file');
  try {
    const response = await fetch(daemon.http + path, { method: 'POST', headers: KEY_HEADERS, body });
    const text = await response.text();
    const { status } = response;
    report.answers[status] = (report.answers[status] ?? 0) + 1;
    if (ANSWERS.includes(status)) return;
    report.keep(sample.format, file, bytes, `answered with ${status} ${text}`);
    report.problems.push(`file ${file} (${sample.format}) was answered with ${status} ${text}`);
  } catch (error) {
    report.problems.push(`file ${file} (${sample.format}) was not answered: ${error}`);
  }
}

async function assertAllEnd(daemon: TestDaemon, report: Report): Promise<void> {
  if (!isAlive(pidOf(daemon))) return;
  const states: Record<string, number> = {};
  const allEnded = async () => {
    for (const key of Object.keys(states)) delete states[key];
    for (const list of ['/api/classifications', '/api/classifications_video', '/api/classifications_audio']) {
      const response = await fetch(daemon.http + list, { headers: KEY_HEADERS });
      for (const { status } of (await response.json()) as { status: string }[]) {
        states[status] = (states[status] ?? 0) + 1;
      }
    }
    return states.new === undefined;
  };
  try {
    await until(allEnded, 'every record to end', END_TIMEOUT_MS);
  } catch (error) {
    report.problems.push(String(error));
  }
  const megabytes = (rssAnonBytes(pidOf(daemon)) / 1e6).toFixed(0);
  process.stdout.write(`records of the daemon: ${JSON.stringify(states)}; its memory ${megabytes} MB\n`);
}

function print({ byFormat, answers, slowest, biggest, problems, files, findings }: Report): void {
  console.table(Object.fromEntries([...byFormat].sort(([left], [right]) => left.localeCompare(right))));
  process.stdout.write(
    `${files} files; answers of the daemon ${JSON.stringify(answers)}; ${findings} crashed or hung a child\n` +
      `slowest: file ${slowest.file} (${slowest.format}), ${slowest.figure.toFixed(0)} ms\n` +
      `biggest: file ${biggest.file} (${biggest.format}), a child of ${(biggest.figure / 1e6).toFixed(0)} MB\n`,
  );
  for (const problem of problems) process.stdout.write(`PROBLEM ${problem}\n`);
}

const files = numberArgument('files', Number.POSITIVE_INFINITY);
const minutes = numberArgument('minutes', Number.isFinite(files) ? FILES_MINUTES_MAX : MINUTES_DEFAULT);
const seed = numberArgument('seed', Date.now() % 1_000_000);
if (!(await fuzz({ minutes, files }, seed))) process.exitCode = 1;

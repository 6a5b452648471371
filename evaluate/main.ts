/**
 * `npm run evaluate -- --data DIR [--tiers]`: sends a labelled folder through the running daemon and says how well it
 * tells human-made from artificial. Goes on where it was cut off; figures, picture and journal lie in `--out`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliFailure, EXIT_CODES } from '../src/cli/terminal/failure.ts';
import { hashFile } from '../src/engine/packs/installed-packs.ts';
import { classifyFiles } from './classify-files.ts';
import { toSvg } from './curves.ts';
import { Grouping } from './groups.ts';
import { type LabelledFile, readLabelledFolder, spreadOverSources } from './labelled-folder.ts';
import { Journal } from './measurement.ts';
import { type Order, parseOrder, USAGE } from './order.ts';
import {
  type DataReport,
  FIGURES_FORMAT,
  type ReportAbout,
  type RoundReport,
  toReport,
  toTierReports,
} from './report.ts';
import { findShortSideMin, planRounds, type Rounds } from './rounds.ts';
import { runCommand, UsageError } from './run-command.ts';
import { toText } from './table.ts';

const SHOW_EVERY_MS = 5_000;

async function chooseFiles(order: Order): Promise<LabelledFile[]> {
  const { folder, limit, sourcesFile } = order;
  const all = await readLabelledFolder(folder, order);
  const wanted =
    sourcesFile === null ? null : new Set(readFileSync(sourcesFile, 'utf8').split(/\r?\n/).filter(Boolean));
  const named = wanted === null ? all : all.filter(({ source }) => wanted.has(source));
  if (named.length === 0)
    throw new UsageError(`--sources: expected names of sources in ${folder}, found none`);
  return limit === null ? named : spreadOverSources(named, limit);
}

async function evaluate(order: Order): Promise<void> {
  const grouping = order.groupsFile === null ? Grouping.read() : Grouping.read(order.groupsFile);
  const files = await chooseFiles(order);
  const rounds = await planRounds(order, files);
  const { folder, kind, task, out } = order;
  const journal = new Journal(
    out,
    `${kind} ${task} of ${folder} by ${rounds.about}${order.hasPrefixes ? ', sources by prefix' : ''}`,
  );
  for (const { label, source, files } of rounds.leftOut) {
    process.stderr.write(`left out, in no fold: ${label}/${source} (${files})\n`);
  }
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  process.once('SIGTERM', () => interrupt.abort());
  await measure(order, rounds, journal, interrupt.signal);
  const data = await describeData(order.folder, files);
  writeOutcome(order, { ...rounds, data, grouping }, journal);
}

async function measure(
  order: Order,
  { rounds }: Rounds,
  journal: Journal,
  interrupted: AbortSignal,
): Promise<void> {
  const total = rounds.reduce((sum, { files }) => sum + files.length, 0) * order.tiers.length;
  let done = 0;
  const show = () => void process.stderr.write(`${done} of ${total} measured\n`);
  const timer = setInterval(show, SHOW_EVERY_MS);
  const onDone = () => {
    done += 1;
  };
  try {
    for (const { fold, files, open } of rounds) {
      if (interrupted.aborted) break;
      if (files.every(({ path }) => order.tiers.every((tier) => journal.has(path, tier)))) {
        done += files.length * order.tiers.length;
        continue;
      }
      if (fold !== null) process.stderr.write(`fold ${fold}: ${files.length} files\n`);
      await using session = await open(interrupted);
      const { client } = session;
      const shortSideMin = await findShortSideMin(client);
      await classifyFiles(client, files, { ...order, fold, shortSideMin, interrupted, onDone }, journal);
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    clearInterval(timer);
    show();
  }
  if (interrupted.aborted) {
    throw new CliFailure('interrupted; the same command goes on where it stopped', EXIT_CODES.interrupted);
  }
}

interface Outcome extends Rounds {
  data: DataReport;
  grouping: Grouping;
}

/** Reports only files that were asked for: the journal may hold more from an earlier run. */
function writeOutcome(order: Order, { rounds, leftOut, data, grouping }: Outcome, journal: Journal): void {
  const { command, kind, task, out, tiers } = order;
  const asked = new Set(rounds.flatMap(({ files }) => files.map(({ path }) => path)));
  const measurements = journal.measurements.filter(({ path }) => asked.has(path));
  const about: ReportAbout = {
    ...{ format: FIGURES_FORMAT, command, begunAt: journal.begunAt, task, kind, data, leftOut },
    rulesVersions: [...new Set(measurements.map(({ rulesVersion }) => rulesVersion))].sort(),
    rounds: rounds.map(toRoundReport),
  };
  const report = toReport(about, journal.failed, toTierReports(measurements, tiers, grouping));
  const json = `${JSON.stringify(report, null, 1)}\n`;
  writeFileSync(join(out, 'figures.json'), json);
  writeFileSync(join(out, 'curves.svg'), toSvg(`${kind} ${task}`, report.tiers));
  process.stdout.write(order.json ? json : toText(report));
  process.stderr.write(`figures.json and curves.svg are in ${out}\n`);
}

/** Names the files of the figures: the folder may hold others later. */
async function describeData(folder: string, files: readonly LabelledFile[]): Promise<DataReport> {
  const digest = createHash('sha256');
  for (const { label, source, path } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const own = await hashFile(join(folder, path));
    digest.update(`${label}\t${source}\t${path}\t${own}\n`);
  }
  const sources = new Set(files.map(({ label, source }) => `${label}/${source}`)).size;
  return { folder, files: files.length, sources, sha256: digest.digest('hex') };
}

function toRoundReport({ fold, packs, files }: Rounds['rounds'][number]): RoundReport {
  const sources = new Set(files.map(({ label, source }) => `${label}/${source}`)).size;
  return { fold, packs, files: files.length, sources };
}

await runCommand(USAGE, async (args) => await evaluate(parseOrder(args)));

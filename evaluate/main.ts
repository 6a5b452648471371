/**
 * `npm run evaluate -- --data DIR [--tiers]`: sends a labelled folder through the running daemon and says how well it
 * tells human-made from artificial. Goes on where it was cut off; figures, picture and journal lie in `--out`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findApiKey } from '../src/cli/api-key.ts';
import { findChannel } from '../src/cli/channel.ts';
import { AssayClient } from '../src/cli/client.ts';
import { CliFailure } from '../src/cli/failure.ts';
import { ApplianceService, type Model } from '../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { TASKS, type Task } from './answers.ts';
import { classifyFiles } from './classify-files.ts';
import { toSvg } from './curves.ts';
import { FolderError, type LabelledFile, readLabelledFolder, spreadOverSources } from './labelled-folder.ts';
import { Journal, OtherEvaluationError } from './measurement.ts';
import { toReport, toTierReports } from './report.ts';
import { toText } from './table.ts';
import { type EvaluatedKind, tierNames } from './tiers.ts';

const USAGE = `npm run evaluate -- --data DIR [options]

  --data DIR          human/ and artificial/ with a sub-folder per source, or files.tsv (label, source, file);
                      faces: human/ and artificial/ or swapped/; tampering: human/ and edited/, and masks/ of the
                      same names, or NAME_mask.png beside NAME: PNG of the picture's size, white where it was edited
  --kind image|audio  what the files are (image)
  --task NAME         origin, faces or tampering (origin)
  --tiers             also as the web and the telephone leave them
  --limit N           at most N files, spread over the sources
  --sources FILE      only the sources named there, one per line
  --prefix-sources    a source is what stands before the first hyphen of a name, where nothing else names it
  --out DIR           figures.json, curves.svg and the journal (data/evaluation)
  --jobs N            files at once, 1 to 32 (4)
  --keep-records      leave the records in the daemon
  --json              print the figures as JSON instead of tables

The daemon and the key are found as the command assay finds them: ASSAY_ADDRESS, ASSAY_API_KEY, ASSAY_DATA_DIR.`;

const JOBS_MAX = 32;
const SHOW_EVERY_MS = 5_000;

const OPTIONS = {
  data: { type: 'string' },
  kind: { type: 'string', default: 'image' },
  task: { type: 'string', default: 'origin' },
  tiers: { type: 'boolean', default: false },
  limit: { type: 'string' },
  sources: { type: 'string' },
  'prefix-sources': { type: 'boolean', default: false },
  out: { type: 'string', default: 'data/evaluation' },
  jobs: { type: 'string', default: '4' },
  'keep-records': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

interface Order {
  folder: string;
  out: string;
  kind: EvaluatedKind;
  task: Task;
  tiers: string[];
  jobs: number;
  limit: number | null;
  sourcesFile: string | null;
  hasPrefixes: boolean;
  keepsRecords: boolean;
  json: boolean;
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

function parseOrder(args: readonly string[]): Order {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const kind = (['image', 'audio'] as const).find((known) => known === values.kind);
  const task = TASKS.find((known) => known === values.task);
  if (values.data === undefined) throw new UsageError('--data: expected a folder, found nothing');
  if (kind === undefined) throw new UsageError(`--kind: expected image or audio, found ${values.kind}`);
  if (task === undefined) throw new UsageError(`--task: expected ${TASKS.join(', ')}, found ${values.task}`);
  if (kind === 'audio' && task !== 'origin') {
    throw new UsageError(`--task: expected origin for audio, found ${task}`);
  }
  return {
    ...{ folder: resolve(values.data), out: resolve(values.out), kind, task },
    tiers: tierNames(kind, values.tiers),
    jobs: parseCount('--jobs', values.jobs, JOBS_MAX),
    limit: values.limit === undefined ? null : parseCount('--limit', values.limit, Number.MAX_SAFE_INTEGER),
    sourcesFile: values.sources ?? null,
    hasPrefixes: values['prefix-sources'],
    keepsRecords: values['keep-records'],
    json: values.json,
  };
}

function parseCount(option: string, text: string, maximum: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maximum) return count;
  throw new UsageError(`${option}: expected a whole number from 1 to ${maximum}, found ${text}`);
}

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

/** Crops must not be scaled below what the models can answer: that would measure refusals. */
function findShortSideMin(models: readonly Model[]): number {
  const sides = models.flatMap(({ fault, task, minimumShortSide }) =>
    fault === '' && task.startsWith('image-') ? [minimumShortSide] : [],
  );
  return Math.max(1, ...sides);
}

/** What must be there to answer; what answers an origin depends on the kind, and the daemon refuses in words. */
const NEEDED_TASKS: Readonly<Record<Task, string | null>> = {
  origin: null,
  faces: 'face-origin',
  tampering: 'image-tampering',
};

function assertAnswered(models: readonly Model[], task: Task): void {
  const needed = NEEDED_TASKS[task];
  if (needed === null || models.some((model) => model.task === needed && model.fault === '')) return;
  const found = models.flatMap((model) => (model.fault === '' ? model.task : []));
  throw new UsageError(
    `--task ${task}: expected a model of ${needed} in service, found only ${[...new Set(found)].join(', ')}`,
  );
}

async function evaluate(order: Order): Promise<void> {
  using client = new AssayClient(await findChannel(process.env), await findApiKey(process.env));
  const files = await chooseFiles(order);
  const { models } = await client.call(ApplianceService.method.listModels, {});
  assertAnswered(models, order.task);
  const inService = models.filter(({ fault }) => fault === '').map(({ id, version }) => `${id}@${version}`);
  const { folder, kind, task, out } = order;
  const journal = new Journal(
    out,
    `${kind} ${task} of ${folder} by ${inService.sort().join(' ')}${order.hasPrefixes ? ', sources by prefix' : ''}`,
  );
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const total = files.length * order.tiers.length;
  let done = 0;
  const show = () => void process.stderr.write(`${done} of ${total} measured\n`);
  const timer = setInterval(show, SHOW_EVERY_MS);
  const evaluation = {
    ...order,
    shortSideMin: findShortSideMin(models),
    interrupted: interrupt.signal,
    onDone: () => {
      done += 1;
    },
  };
  try {
    await classifyFiles(client, files, evaluation, journal);
  } finally {
    clearInterval(timer);
    show();
  }
  if (interrupt.signal.aborted) {
    throw new UsageError('interrupted; the same command goes on where it stopped');
  }
  writeOutcome(order, files, journal);
}

/** Only of the files that were asked for: the journal may hold more from an earlier run. */
function writeOutcome(order: Order, files: readonly LabelledFile[], journal: Journal): void {
  const { kind, task, out, tiers } = order;
  const asked = new Set(files.map(({ path }) => path));
  const measurements = journal.measurements.filter(({ path }) => asked.has(path));
  const report = toReport({ task, kind }, journal.failed, toTierReports(measurements, tiers));
  const json = `${JSON.stringify(report, null, 1)}\n`;
  writeFileSync(join(out, 'figures.json'), json);
  writeFileSync(join(out, 'curves.svg'), toSvg(`${kind} ${task}`, report.tiers));
  process.stdout.write(order.json ? json : toText(report));
  process.stderr.write(`figures.json and curves.svg are in ${out}\n`);
}

/** Their sentence says it all. TypeErrors are those of the argument parser. */
const KNOWN_FAULTS = [UsageError, FolderError, CliFailure, OtherEvaluationError, TypeError];

try {
  await evaluate(parseOrder(process.argv.slice(2)));
} catch (error) {
  const isUsage = KNOWN_FAULTS.some((known) => error instanceof known);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${USAGE}\n`);
  if (!isUsage && error instanceof Error && error.stack !== undefined)
    process.stderr.write(`${error.stack}\n`);
  process.exitCode = error instanceof CliFailure ? error.exitCode : 2;
}

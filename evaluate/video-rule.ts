/**
 * `npm run evaluate:video -- --data DIR`: sends labelled clips through the running daemon and compares the shares of
 * frames that could decide a video (`src/domain/verdicts/video-verdict.ts`). Run it again if the image models change.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { findApiKey } from '../src/cli/daemon/api-key.ts';
import { findChannel } from '../src/cli/daemon/channel.ts';
import { AssayClient } from '../src/cli/daemon/client.ts';
import { CliFailure } from '../src/cli/terminal/failure.ts';
import { logistic } from '../src/domain/verdicts/heuristics.ts';
import { ApplianceService } from '../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { Axis, type Classification, Status } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { Label, MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import {
  type Clip,
  comparePooling,
  POOLING_CASES,
  POOLING_FIGURES,
  type PoolingCase,
  type PoolingRow,
  PRESENT_RULE,
  poolClip,
} from './frame-pooling.ts';
import { type LabelledFile, readLabelledFolder } from './labelled-folder.ts';
import { runCommand, UsageError } from './run-command.ts';
import { removeRecord, submitFile } from './submit-file.ts';

const USAGE = `npm run evaluate:video -- --data DIR [options]

  --data DIR          human/ and artificial/ with a sub-folder per source, or files.tsv (label, source, file)
  --frames N          5, 10 or 30 frames of each clip (10, as by default)
  --prefix-sources    a source is what stands before the first hyphen of a name, where nothing else names it
  --out DIR           pooling.json: the frames' scores and the figures (data/evaluation-video)
  --json              print the figures as JSON instead of a table`;

const OPTIONS = {
  data: { type: 'string' },
  frames: { type: 'string', default: '10' },
  'prefix-sources': { type: 'boolean', default: false },
  out: { type: 'string', default: 'data/evaluation-video' },
  json: { type: 'boolean', default: false },
} as const;
const FRAME_COUNTS = [5, 10, 30];

interface MeasuredClip extends Clip {
  path: string;
  /** What the daemon itself answered for the clip; null if no model could. */
  probability: number | null;
}

interface Outcome {
  clips: MeasuredClip[];
  unanswered: string[];
  failed: { path: string; error: string }[];
}

async function measure(
  client: AssayClient,
  folder: string,
  files: readonly LabelledFile[],
  frames: number,
): Promise<Outcome> {
  const outcome: Outcome = { clips: [], unanswered: [], failed: [] };
  const interrupted = new AbortController().signal;
  for (const { path, label, source } of files) {
    process.stderr.write(`${path}\n`);
    try {
      const bytes = await readFile(join(folder, path));
      const options = { preventC2paForces: true, frames };
      const header = { name: basename(path), kind: MediaKind.VIDEO, options };
      const record = await submitFile(client, { header, bytes, interrupted });
      await removeRecord(client, record.identifier);
      if (record.status !== Status.DONE) throw new Error(record.errors);
      const probability = record.assessment?.probability ?? null;
      const clip = { path, label, source, frames: framesOf(record), probability };
      if (probability === null) outcome.unanswered.push(path);
      else outcome.clips.push(clip);
    } catch (error) {
      if (!(error instanceof Error) || (error instanceof CliFailure && error.isFatal)) throw error;
      outcome.failed.push({ path, error: error.message });
    }
  }
  return outcome;
}

function framesOf({ media }: Classification): Clip['frames'] {
  const images = media.case === 'video' ? media.value.images : [];
  const scores = images.flatMap(({ results }) =>
    results.flatMap(({ model, version, axis, classification }) => {
      const score = classification.find(({ label }) => label === Label.ARTIFICIAL)?.score;
      if (score === undefined || axis !== Axis.GENERATED) return [];
      return [{ model: `${model}@${version}`, logOdds: Math.log(score / (1 - score)) }];
    }),
  );
  const byModel = Map.groupBy(scores, ({ model }) => model);
  return Object.fromEntries([...byModel].map(([model, own]) => [model, own.map(({ logOdds }) => logOdds)]));
}

/** The pooling here must be that of the daemon, or the comparison is of something else. */
const DIFFERENCE_MAX = 1e-6;

function assertSameRule(clips: readonly MeasuredClip[], weights: Readonly<Record<string, number>>): void {
  for (const { path, frames, probability } of clips) {
    const pooled = logistic(poolClip(frames, weights, PRESENT_RULE));
    if (Math.abs(pooled - (probability ?? Number.NaN)) <= DIFFERENCE_MAX) continue;
    throw new Error(
      `${path}: the daemon answered ${probability}, its frames give ${pooled} by the same rule`,
    );
  }
}

const shown = (value: number): string => value.toFixed(2);

const CASE_NAMES: Readonly<Record<PoolingCase, string>> = {
  whole: 'whole clips',
  cut_in: 'artificial cut into human',
  cut_in_both: 'against human cut into human',
  odd_frame: 'human clips with one odd frame',
};

function toTable(rows: readonly PoolingRow[], one: PoolingCase): string {
  const head = [
    CASE_NAMES[one],
    'AUC',
    'balanced accuracy',
    'recall',
    'false alarms',
    'AUC against the best',
  ];
  const table = new Table({ head, style: { head: [], border: [] } });
  const cell = (value: number, low: number, high: number) =>
    `${shown(value)} (${shown(low)} to ${shown(high)})`;
  for (const { rule, figures } of rows) {
    const { auc } = figures[one];
    const cells = POOLING_FIGURES.map((name) => figures[one][name]);
    const against = cell(auc.change, auc.changeLow, auc.changeHigh);
    table.push([rule, ...cells.map(({ value, low, high }) => cell(value, low, high)), against]);
  }
  return table.toString();
}

function toText(rows: readonly PoolingRow[], outcome: Outcome): string {
  const tables = POOLING_CASES.map((one) => toTable(rows, one));
  const { clips, unanswered, failed } = outcome;
  const lines = failed.map(({ path, error }) => `${path}: ${error}`);
  const counts = `${clips.length} clips, ${unanswered.length} without an answer, ${failed.length} failed`;
  return `${[...tables, counts, ...lines, ...worseOf(rows)].join('\n')}\n`;
}

/** Shares that 95 % of the draws call worse than the best; the others cannot be distinguished from it. */
function worseOf(rows: readonly PoolingRow[]): string[] {
  return rows.flatMap(({ rule, figures }) =>
    POOLING_CASES.flatMap((one) =>
      (['auc', 'balancedAccuracy'] as const).flatMap((name) => {
        const { change, changeLow, changeHigh } = figures[one][name];
        if (changeHigh >= 0) return [];
        return `${rule} is worse, ${CASE_NAMES[one]}: ${name} ${shown(change)} (${shown(changeLow)} to ${shown(changeHigh)})`;
      }),
    ),
  );
}

async function compare(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const frames = Number(values.frames);
  if (values.data === undefined) throw new UsageError('--data: expected a folder, found nothing');
  if (!FRAME_COUNTS.includes(frames)) {
    throw new UsageError(`--frames: expected ${FRAME_COUNTS.join(', ')}, found ${values.frames}`);
  }
  const folder = resolve(values.data);
  const files = await readLabelledFolder(folder, {
    ...{ task: 'origin', hasPrefixes: values['prefix-sources'] },
  });
  using client = new AssayClient(await findChannel(process.env), await findApiKey(process.env));
  const { models } = await client.call(ApplianceService.method.listModels, {});
  const weights = Object.fromEntries(models.map(({ id, version, weight }) => [`${id}@${version}`, weight]));
  const outcome = await measure(client, folder, files, frames);
  assertSameRule(outcome.clips, weights);
  const rows = comparePooling(outcome.clips, weights);
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const json = `${JSON.stringify({ frames, weights, ...outcome, rows }, null, 1)}\n`;
  writeFileSync(join(out, 'pooling.json'), json);
  process.stdout.write(values.json ? json : toText(rows, outcome));
}

await runCommand(USAGE, compare);

/**
 * `node evaluate/stability-reach.ts --out DIR [--jobs N] [--limit N] FOLDER…`: sends every picture of the folders through two daemons, one
 * that judges all stability copies and one that leaves out what the packs call clear, and compares what they say. The first one's
 * answers also give the reach that belongs into `model.json`. Goes on where it was cut off.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { forEachBounded } from '../src/cli/terminal/bounded.ts';
import { STABILITY_VARIANTS } from '../src/domain/media/stability.ts';
import { AssessmentState } from '../src/grpc/gen/assay/v1/assessment_pb.ts';
import type { Classification } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import { OwnDaemon, standInFor } from './own-daemon.ts';
import type { PackFolder } from './pack-identity.ts';
import { runCommand, UsageError } from './run-command.ts';
import { submitFile } from './submit-file.ts';

const USAGE = `node evaluate/stability-reach.ts --out DIR [--jobs N] [--limit N] FOLDER…
  --out DIR   keeps the answers; a second run goes on there
  --jobs N    pictures at once (4)
  --limit N   so many pictures of each folder, chosen by the hash of their paths (all)`;
const PICTURES = '**/*.{jpg,jpeg,png,webp,tif,avif}';

/** The answer for one picture. */
interface Answer {
  path: string;
  state: AssessmentState;
  strength: number;
  p: number | null;
  /** log10 of the likelihood ratio. */
  llr: number | null;
  reasons: string[];
  /** Name and log-odds of each copy that was judged. */
  variants: [string, number][];
  notNeeded: string[];
}

async function measure(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { out: { type: 'string' }, jobs: { type: 'string', default: '4' }, limit: { type: 'string' } },
    allowPositionals: true,
  });
  const { out, jobs, limit } = values;
  if (out === undefined || positionals.length === 0) throw new UsageError('expected --out DIR and a folder');
  const files = positionals.flatMap((folder) => choose(folder, limit === undefined ? null : Number(limit)));
  mkdirSync(out, { recursive: true });
  const all = await withoutReach((packs) => answerAll(join(out, 'all.jsonl'), files, packs, Number(jobs)));
  const packs = await standInFor([]);
  const shipped = await answerAll(join(out, 'shipped.jsonl'), files, packs, Number(jobs));
  const text = describe(files, all, shipped);
  writeFileSync(join(out, 'stability-reach.txt'), text);
  process.stdout.write(text);
}

function choose(folder: string, limit: number | null): string[] {
  const files = globSync(join(folder, PICTURES));
  const key = (path: string) => createHash('sha256').update(path.slice(folder.length)).digest('hex');
  return files.sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, limit ?? files.length);
}

/** The shipped packs, for a daemon that judges every copy. */
async function withoutReach<T>(run: (packs: PackFolder[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-reach-'));
  try {
    const packs: PackFolder[] = [];
    for (const pack of await standInFor([])) {
      const copy = join(folder, basename(pack.folder));
      await cp(pack.folder, copy, { recursive: true });
      const path = join(copy, 'model.json');
      const { stability: _reach, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify(rest));
      packs.push({ ...pack, folder: copy });
    }
    return await run(packs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function answerAll(
  journal: string,
  files: readonly string[],
  packs: readonly PackFolder[],
  jobs: number,
): Promise<Map<string, Answer>> {
  const answers = readJournal(journal);
  const missing = files.filter((path) => !answers.has(path));
  if (missing.length === 0) return answers;
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  await using daemon = await OwnDaemon.start(packs, interrupt.signal);
  await forEachBounded(eachOf(missing), jobs, async (path) => {
    const header = { name: basename(path), kind: MediaKind.IMAGE, options: { preventC2paForces: true } };
    const work = { header, bytes: readFileSync(path), interrupted: interrupt.signal };
    const answer = toAnswer(path, await submitFile(daemon.client, work));
    appendFileSync(journal, `${JSON.stringify(answer)}\n`);
    answers.set(path, answer);
  });
  return answers;
}

async function* eachOf(paths: readonly string[]): AsyncGenerator<string> {
  yield* paths;
}

function readJournal(path: string): Map<string, Answer> {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const answers = lines.map((line): Answer => JSON.parse(line));
  return new Map(answers.map((answer) => [answer.path, answer]));
}

/** A file that could not be analysed is left out for both daemons. */
function toAnswer(path: string, { assessment }: Classification): Answer {
  const none = { state: AssessmentState.UNSPECIFIED, strength: 0, probability: null, reasons: [] };
  const { state, strength, probability, reasons } = assessment ?? none;
  const { log10LikelihoodRatio = null, stability } = assessment ?? {};
  return {
    ...{ path, state, strength, p: probability ?? null, llr: log10LikelihoodRatio },
    reasons: reasons.map(({ code }) => code),
    variants: (stability?.variants ?? []).map(({ name, logOdds }) => [name, logOdds]),
    notNeeded: stability?.notNeeded ?? [],
  };
}

function describe(
  files: readonly string[],
  all: ReadonlyMap<string, Answer>,
  shipped: ReadonlyMap<string, Answer>,
): string {
  const pairs = files.flatMap((path) => {
    const [every, some] = [all.get(path), shipped.get(path)];
    return every === undefined || some === undefined ? [] : [{ every, some }];
  });
  const differing = pairs.filter(({ every, some }) => said(every) !== said(some));
  const surer = differing.filter(
    ({ every, some }) => every.state === AssessmentState.INCONCLUSIVE && some.state !== every.state,
  );
  const copiesOf = (side: 'every' | 'some') =>
    pairs.reduce((sum, pair) => sum + pair[side].variants.length, 0);
  const [every, some] = [copiesOf('every'), copiesOf('some')];
  return [
    `${pairs.length} pictures: ${pairs.length - differing.length} assessments equal (${percent(1 - differing.length / pairs.length)}), ${surer.length} more certain`,
    `copies judged: ${some} of ${every} (${percent(some / every)})`,
    ...STABILITY_VARIANTS.map((name) =>
      describeReach(
        name,
        pairs.map((pair) => pair.every),
      ),
    ),
    ...differing.map((pair) => `differs: ${pair.every.path}: ${said(pair.every)} became ${said(pair.some)}`),
    '',
  ].join('\n');
}

/** State, strength, probability and reasons in one line, as the numbers of the protocol. */
function said({ state, strength, p, reasons }: Answer): string {
  return [state, strength, p?.toFixed(6), ...reasons].join(' ');
}

/** The distances from even odds of answers that changed sides on a copy. */
function describeReach(name: string, answers: readonly Answer[]): string {
  const flipped = answers.flatMap(({ llr, variants }) => {
    const copy = variants.find(([copied]) => copied === name);
    if (llr === null || copy === undefined || copy[1] >= 0 === llr >= 0) return [];
    return [llr * Math.LN10];
  });
  const farthest = (side: number[]) =>
    side.length === 0 ? 'none' : Math.max(...side.map(Math.abs)).toFixed(2);
  const human = farthest(flipped.filter((logOdds) => logOdds < 0));
  const artificial = farthest(flipped.filter((logOdds) => logOdds >= 0));
  return `${name}: ${flipped.length} changed sides, the farthest at log-odds −${human} (human) and ${artificial} (artificial)`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

await runCommand(USAGE, measure);

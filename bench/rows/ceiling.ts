/**
 * What a picture costs beside its models: the whole appliance with models that answer at once, pictures a second and processor
 * time by process, for each option.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { TestDaemon } from '../../test/daemon.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { inParallel } from '../in-parallel.ts';
import { writeInstantModels } from '../instant-models.ts';
import { makeMix, stampJpeg } from '../photos.ts';
import { processorTimeOf, treeOf } from '../process-tree.ts';
import { getEndedRecord, post, toForm } from '../rest-client.ts';
import { type Row, RUNS } from '../row.ts';

const CLIENTS = 4 * availableParallelism();
const MILLISECONDS = { unit: 'ms of a core', better: 'lower' } as const;
const OPTIONS = ['with_nsfw', 'with_morphing', 'with_heatmap', 'with_tampering'];

export async function measureCeiling(): Promise<Row[]> {
  await using models = await makeTemporaryFolder();
  await writeInstantModels(models.path);
  const { mix, large } = await makeMix();
  await using daemon = await TestDaemon.start({ env: { ASSAY_MODELS_FOLDERS: models.path } });
  await sendAll(daemon, mix, 'warm', OPTIONS);
  return [
    ...(await measure(daemon, mix, [])),
    ...(await measure(
      daemon,
      Array.from({ length: 8 }, () => large),
      [],
      'of 12 MP',
    )),
    ...(await measureEach(daemon, mix)),
  ];
}

async function measureEach(daemon: TestDaemon, mix: readonly Buffer[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const option of OPTIONS) rows.push(...(await measure(daemon, mix, [option])));
  return [...rows, ...(await measure(daemon, mix, OPTIONS))];
}

/** Processor time of the daemon itself, of the models' processes and of all others, seconds. */
type Spent = Record<'daemon' | 'inference' | 'decoders', number>;

async function measure(
  daemon: TestDaemon,
  pictures: readonly Buffer[],
  options: readonly string[],
  what = 'the mix',
): Promise<Row[]> {
  const perSecond: number[] = [];
  const spent: Record<keyof Spent, number[]> = { daemon: [], inference: [], decoders: [] };
  for (let run = 0; run < RUNS; run++) {
    const before = spentBy(daemon.process.pid ?? 0);
    const startedAt = performance.now();
    await sendAll(daemon, pictures, `${what} ${options} ${run}`, options);
    perSecond.push((1000 * pictures.length) / (performance.now() - startedAt));
    const after = spentBy(daemon.process.pid ?? 0);
    for (const part of ['daemon', 'inference', 'decoders'] as const)
      spent[part].push((1000 * (after[part] - before[part])) / pictures.length);
  }
  const asked = options.length === OPTIONS.length ? 'all options' : (options[0] ?? 'plain');
  const cost = Object.entries(spent).map(
    ([part, runs]): Row => ({ name: `${what}, ${asked}: ${part}`, ...MILLISECONDS, runs }),
  );
  return [{ name: `${what}, ${asked}`, unit: '1/s', better: 'higher', runs: perSecond }, ...cost];
}

async function sendAll(
  { http }: TestDaemon,
  pictures: readonly Buffer[],
  run: string,
  options: readonly string[],
): Promise<void> {
  const asked = Object.fromEntries(options.map((option) => [option, 'true']));
  await inParallel(pictures, CLIENTS, async (bytes, index) => {
    const stamped = stampJpeg(bytes, `${run} ${index}`);
    const identifier = await post(http, toForm(stamped, asked));
    const { body } = await getEndedRecord(http, identifier);
    if (JSON.parse(body).status !== 'done') throw new Error(`a picture was not judged: ${body}`);
  });
}

/** Children that have ended were decoders. */
function spentBy(pid: number): Spent {
  const { own, ended } = processorTimeOf(pid);
  const spent = { daemon: own, inference: 0, decoders: ended };
  for (const member of treeOf(pid).slice(1)) {
    const { own, ended } = processorTimeOf(member);
    spent[commandOf(member).includes('inference') ? 'inference' : 'decoders'] += own + ended;
  }
  return spent;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // Ended between the look and the read.
  }
}

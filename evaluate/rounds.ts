/**
 * Which daemon answers for which files: the running one for all, or one of the evaluation's own for each fold, whose
 * packs have not seen its sources.
 */
import { findApiKey } from '../src/cli/daemon/api-key.ts';
import { findChannel } from '../src/cli/daemon/channel.ts';
import { AssayClient } from '../src/cli/daemon/client.ts';
import { ApplianceService, type Model } from '../src/grpc/gen/assay/v1/appliance_service_pb.ts';
import { Folds, type LeftOutSource } from './folds.ts';
import { FolderError, type LabelledFile } from './labelled-folder.ts';
import type { Order } from './order.ts';
import { DETECTOR_TASK, OwnDaemon, standInFor } from './own-daemon.ts';
import { describePack, type PackFolder, type PackIdentity, toIdentity } from './pack-identity.ts';
import { UsageError } from './run-command.ts';
import type { Task } from './task.ts';

export interface Session extends AsyncDisposable {
  readonly client: AssayClient;
}

export interface Round {
  /** Null for the running daemon. */
  fold: string | null;
  packs: PackIdentity[];
  files: LabelledFile[];
  open: (signal: AbortSignal) => Promise<Session>;
}

export interface Rounds {
  /** Packs and how files are routed to them, for the journal. */
  about: string;
  rounds: Round[];
  leftOut: LeftOutSource[];
}

export async function planRounds(order: Order, files: LabelledFile[]): Promise<Rounds> {
  return order.packsFolder === null
    ? await planRunning(order, files)
    : await planFolds(order, order.packsFolder, files);
}

async function planRunning({ task }: Order, files: LabelledFile[]): Promise<Rounds> {
  const open = async () =>
    toSession(new AssayClient(await findChannel(process.env), await findApiKey(process.env)));
  await using session = await open();
  const packs = await listInService(session.client);
  assertAnswered(packs, task);
  const about = packs.map(describePack).sort().join(' ');
  return { about, rounds: [{ fold: null, packs: packs.map(toIdentity), files, open }], leftOut: [] };
}

function toSession(client: AssayClient): Session {
  return { client, [Symbol.asyncDispose]: async () => client[Symbol.dispose]() };
}

async function planFolds({ task }: Order, folder: string, files: LabelledFile[]): Promise<Rounds> {
  const folds = await Folds.read(folder);
  const { rounds, leftOut } = folds.route(files);
  if (rounds.length === 0) {
    const [first] = leftOut;
    throw new FolderError(
      `folds.tsv: expected sources of the media, found none of them, such as ${first?.source}`,
    );
  }
  return {
    about: folds.describe(),
    leftOut,
    rounds: await Promise.all(
      rounds.map(async ({ fold, files: own }) => {
        const packs = await standInFor(fold.packs);
        assertAnswered(packs, task);
        const open = async (signal: AbortSignal) => await openFold(fold.name, packs, signal);
        return { fold: fold.name, packs: packs.map(toIdentity), files: own, open };
      }),
    ),
  };
}

/** Refuses a daemon that would answer with anything but these packs. */
async function openFold(name: string, packs: readonly PackFolder[], signal: AbortSignal): Promise<Session> {
  const daemon = await OwnDaemon.start(packs, signal);
  try {
    const { models } = await daemon.client.call(ApplianceService.method.listModels, {});
    const own = models.filter(({ fault, task }) => fault === '' && task !== DETECTOR_TASK).map(keyOf);
    const wanted = packs.map(keyOf);
    const missing = wanted.filter((key) => !own.includes(key));
    const foreign = own.filter((key) => !wanted.includes(key));
    if (missing.length === 0 && foreign.length === 0) return daemon;
    const faults = models.flatMap(({ id, fault }) => (fault === '' ? [] : `${id}: ${fault}`));
    throw new FolderError(
      `fold-${name}: out of service: ${missing.join(', ') || 'none'}; not of the fold: ${foreign.join(', ') || 'none'}; ${faults.join('; ')}`,
    );
  } catch (error) {
    await daemon[Symbol.asyncDispose]();
    throw error;
  }
}

function keyOf({ id, version }: Pick<PackIdentity, 'id' | 'version'>): string {
  return `${id}@${version}`;
}

async function listInService(client: AssayClient): Promise<Model[]> {
  const { models } = await client.call(ApplianceService.method.listModels, {});
  return models.filter(({ fault }) => fault === '');
}

/** Crops must not be scaled below what the models can answer: that would measure refusals. */
export async function findShortSideMin(client: AssayClient): Promise<number> {
  const sides = (await listInService(client)).flatMap(({ task, minimumShortSide }) =>
    task.startsWith('image-') ? [minimumShortSide] : [],
  );
  return Math.max(1, ...sides);
}

/** What must be there to answer; what answers an origin depends on the kind, and the daemon refuses in words. */
const NEEDED_TASKS: Readonly<Record<Task, string | null>> = {
  origin: null,
  faces: 'face-origin',
  tampering: 'image-tampering',
};

function assertAnswered(packs: readonly { task: string }[], task: Task): void {
  const needed = NEEDED_TASKS[task];
  if (needed === null || packs.some((pack) => pack.task === needed)) return;
  const found = packs.map((pack) => pack.task);
  throw new UsageError(
    `--task ${task}: expected a model of ${needed} in service, found only ${[...new Set(found)].join(', ')}`,
  );
}

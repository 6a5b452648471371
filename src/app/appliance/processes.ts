/** What the box does now: the daemon and its children, their memory, and the work that is under way. */

import type { ModelStatus } from '../../domain/contract/appliance.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import { type ProcessFigures, ProcessTable } from '../../machinery/process-table.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { getStatus } from './appliance.ts';
import type { ApplianceParts } from './parts.ts';
import { listWorkers, type WorkerEntry } from './workers.ts';

export type ProcessRole = 'daemon' | 'decode' | 'inference';

export interface ProcessEntry extends ProcessFigures {
  pid: number;
  role: ProcessRole;
}

export interface RunningAnalysis {
  /** The first record that it is for; empty if that was deleted. */
  identifier: string;
  records: number;
  accountId: number;
  kind: MediaKind;
  /** Empty before the first step. */
  step: string;
  stepDone: number;
  stepTotal: number;
  attempts: number;
  /** Microseconds since 1970 UTC. */
  startedAt: number;
}

/** The file of the records, and who keeps it from using its free pages. */
export interface StoreUse {
  bytes: number;
  freeBytes: number;
  /** 0 where no reader is behind the last transaction. */
  oldestReaderTransactions: number;
  oldestReaderSeconds: number;
}

export interface Processes {
  processes: ProcessEntry[];
  models: ModelStatus[];
  workers: WorkerEntry[];
  /** Oldest first, at most RUNNING_MAX. */
  running: RunningAnalysis[];
  runningTotal: number;
  waitingTotal: number;
  /** Microseconds since 1970 UTC; null where nothing waits. */
  oldestQueuedAt: number | null;
  /** Why no place begins what waits; null where it waits for its turn. */
  waitReason: WaitReason | null;
  store: StoreUse;
}

/** More than a screen shows, and than a box runs at once by default. */
const RUNNING_MAX = 100;

/** Administrators only. */
export async function listProcesses(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<Processes> {
  assertAdmin(principal);
  const { models, running: runningTotal, queueDepth: waitingTotal } = await getStatus(app);
  const open = [...app.store.read.openAnalyses()];
  const running = open.filter(({ state }) => state === 'running').slice(0, RUNNING_MAX);
  return {
    ...{ models, runningTotal, waitingTotal },
    processes: await readProcesses(app),
    workers: listWorkers(app, { principal }),
    waitReason: app.engine.waitReason(),
    store: await readStoreUse(app),
    running: running.map((analysis) => toRunning(app, analysis)),
    oldestQueuedAt: open.find(({ state }) => state === 'queued')?.queuedAt ?? null,
  };
}

async function readStoreUse({ store }: ApplianceParts): Promise<StoreUse> {
  const { transactions: oldestReaderTransactions, seconds: oldestReaderSeconds } = store.oldestReader();
  return { ...(await store.space()), oldestReaderTransactions, oldestReaderSeconds };
}

async function readProcesses({ engine }: ApplianceParts): Promise<ProcessEntry[]> {
  const table = await ProcessTable.read();
  const { decodePids, inferencePids } = engine.status();
  const known: { pid: number; role: ProcessRole }[] = [
    { pid: process.pid, role: 'daemon' },
    ...inferencePids.map((pid) => ({ pid, role: 'inference' as const })),
    ...decodePids.map((pid) => ({ pid, role: 'decode' as const })),
  ];
  const found: ProcessEntry[] = [];
  for (const { pid, role } of known) {
    const figures = await table.figuresOf(pid, role !== 'daemon');
    if (figures !== undefined) found.push({ pid, role, ...figures });
  }
  return found;
}

function toRunning({ store, engine }: ApplianceParts, analysis: Analysis): RunningAnalysis {
  const { id, accountId, kind, attempts, lease, queuedAt } = analysis;
  const records = store.read.classificationsOfAnalysis(id);
  const progress = engine.progressOf(id);
  return {
    ...{ accountId, kind, attempts },
    identifier: records[0]?.identifier ?? '',
    records: records.length,
    step: progress?.step ?? '',
    stepDone: progress?.done ?? 0,
    stepTotal: progress?.total ?? 0,
    startedAt: lease?.startedAt ?? queuedAt,
  };
}

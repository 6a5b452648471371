/** The box's present processes and work: the daemon and its children, their memory, and running analyses. */
import type {
  ProcessEntry,
  Processes,
  ProcessRole,
  RunningAnalysis,
  StoreUse,
} from '../../domain/contract/processes.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import { ProcessTable } from '../../machinery/process-table.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import { readStatus } from './appliance.ts';
import type { ApplianceParts } from './parts.ts';
import { listWorkers } from './workers.ts';

/** More than a screen shows, and than a box runs at once by default. */
const RUNNING_MAX = 100;

/** Administrators only. */
export async function listProcesses(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<Processes> {
  assertAdmin(principal);
  const { models, running: runningTotal, queueDepth: waitingTotal } = await readStatus(app);
  const open = [...app.store.read.openAnalyses()];
  const running = open.filter(({ state }) => state === 'running').slice(0, RUNNING_MAX);
  return {
    models,
    runningTotal,
    waitingTotal,
    processes: await readProcesses(app),
    workers: listWorkers(app, { principal }),
    waitReason: app.running.waitReason(),
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

function toRunning({ store, running }: ApplianceParts, analysis: Analysis): RunningAnalysis {
  const { id, accountId, kind, attempts, lease, queuedAt } = analysis;
  const records = store.read.classificationsOfAnalysis(id);
  const progress = running.progressOf(id);
  return {
    accountId,
    kind,
    attempts,
    identifier: records[0]?.identifier ?? '',
    records: records.length,
    step: progress?.step ?? '',
    stepDone: progress?.done ?? 0,
    stepTotal: progress?.total ?? 0,
    startedAt: lease?.startedAt ?? queuedAt,
  };
}

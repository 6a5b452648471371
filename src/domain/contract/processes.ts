import {
  flag,
  identifier,
  idNumber,
  listOf,
  long,
  moment,
  nounOf,
  nullable,
  number,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { MEDIA_KIND } from '../media/media.ts';
import type { ModelStatus } from './appliance.ts';
import { WAIT_REASON } from './queue.ts';

export type ProcessRole = 'daemon' | 'decode' | 'inference';

const PROCESS = {
  name: 'Process',
  fields: {
    pid: whole(),
    role: text<ProcessRole>('`daemon`, `decode` or `inference`.'),
    rssAnonBytes: long('Memory of its own, with what walls it in; not what it shares or maps.'),
    cpuSeconds: number('User and system time, descendants included.'),
    ageSeconds: number(),
  },
};
export interface ProcessEntry extends ValuesOf<typeof PROCESS.fields> {}

const RUNNING_ANALYSIS = {
  name: 'RunningAnalysis',
  fields: {
    identifier: identifier('Identifier of the first record that it is for; empty if that was deleted.'),
    records: whole('How many records it is for.'),
    accountId: idNumber(),
    kind: oneOf(MEDIA_KIND),
    step: text('What it does now; empty before the first step.'),
    stepDone: whole(),
    stepTotal: whole(),
    attempts: whole(),
    startedAt: moment(),
  },
};
export interface RunningAnalysis extends ValuesOf<typeof RUNNING_ANALYSIS.fields> {}

export const WORKER = {
  name: 'Worker',
  description: 'A worker on another box, as far as it was heard of since the daemon started.',
  fields: {
    name: text(),
    version: text(),
    places: whole('Analyses that it takes at once.'),
    running: whole(),
    done: long(),
    failed: long(),
    clockOffsetSeconds: number('Its clock less the daemon’s.'),
    draining: flag('It finishes what it has and takes nothing new: it is stopping, or drained.'),
    drained: flag('An administrator lets it take no work until it is resumed.'),
    here: flag('Whether it was heard of in the last seconds.'),
    refusal: nullable(text('Why it gets no work; empty where it does.')),
    packs: listOf(text('Id and version of each model pack, with the beginning of its SHA-256.')),
    devices: listOf(text('What its models compute on and how, each once: `cpu`, `cuda in half precision`.')),
  },
};
export interface WorkerEntry extends ValuesOf<typeof WORKER.fields> {}

const STORE_USE = {
  name: 'StoreUse',
  description: 'The file of the records, and who keeps it from using its free pages.',
  fields: {
    bytes: long(),
    freeBytes: long('Part of these bytes in pages that no value needs.'),
    oldestReaderTransactions: long(
      'Transactions since the oldest snapshot that is read; 0 where no reader is behind the last one.',
    ),
    oldestReaderSeconds: number('How long that reader has been behind.'),
  },
};
export interface StoreUse extends ValuesOf<typeof STORE_USE.fields> {}

export const PROCESSES = {
  name: 'Processes',
  fields: {
    processes: listOf(nounOf(PROCESS)),
    running: listOf(nounOf(RUNNING_ANALYSIS, 'Oldest first, at most 100.')),
    runningTotal: whole(),
    waitingTotal: whole(),
    oldestQueuedAt: nullable(moment()),
    waitReason: nullable(nounOf(WAIT_REASON)),
    store: nounOf(STORE_USE),
  },
};
/** gRPC answers with models and workers as well; GraphQL has a query for each. */
export interface Processes extends ValuesOf<typeof PROCESSES.fields> {
  models: ModelStatus[];
  workers: WorkerEntry[];
}

/** What the box does now, and the boxes that work for it, one row a field. */

import {
  flag,
  identifier,
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
import type { ModelStatus } from './appliance.ts';
import { WAIT_REASON } from './queue.ts';
import { MEDIA_KIND } from './words.ts';

export type ProcessRole = 'daemon' | 'decode' | 'inference';

const PROCESS = {
  name: 'Process',
  fields: {
    pid: whole(),
    role: text<ProcessRole>({ description: '`daemon`, `decode` or `inference`.' }),
    rssAnonBytes: long({ description: 'Anonymous memory, descendants included.' }),
    cpuSeconds: number({ description: 'User and system time, descendants included.' }),
    ageSeconds: number(),
  },
};
export interface ProcessEntry extends ValuesOf<typeof PROCESS.fields> {}

const RUNNING_ANALYSIS = {
  name: 'RunningAnalysis',
  fields: {
    identifier: identifier<string>({
      description: 'Identifier of the first record that it is for; empty if that was deleted.',
    }),
    records: whole({ description: 'How many records it is for.' }),
    accountId: identifier<number>(),
    kind: oneOf(MEDIA_KIND),
    step: text({ description: 'Empty before the first step.' }),
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
    places: whole({ description: 'Analyses that it takes at once.' }),
    running: whole(),
    done: long(),
    failed: long(),
    clockOffsetSeconds: number({ description: 'Its clock less the daemon’s.' }),
    draining: flag({
      description: 'It finishes what it has and takes nothing new: it is stopping, or drained.',
    }),
    drained: flag({ description: 'An administrator lets it take no work until it is resumed.' }),
    here: flag({ description: 'Whether it was heard of in the last seconds.' }),
    refusal: nullable(text({ description: 'Why it gets no work.' })),
    packs: listOf(
      text({ description: 'Id and version of each model pack, with the beginning of its SHA-256.' }),
    ),
    devices: listOf(
      text({
        description: 'What its models compute on and how, each once: `cpu`, `cuda in half precision`.',
      }),
    ),
  },
};
export interface WorkerEntry extends ValuesOf<typeof WORKER.fields> {}

const STORE_USE = {
  name: 'StoreUse',
  description: 'The file of the records, and who keeps it from using its free pages.',
  fields: {
    bytes: long(),
    freeBytes: long({ description: 'Part of these bytes in pages that no value needs.' }),
    oldestReaderTransactions: long({
      description:
        'Transactions since the oldest snapshot that is read; 0 where no reader is behind the last one.',
    }),
    oldestReaderSeconds: number({ description: 'How long that reader has been behind.' }),
  },
};
export interface StoreUse extends ValuesOf<typeof STORE_USE.fields> {}

export const PROCESSES = {
  name: 'Processes',
  fields: {
    processes: listOf(nounOf(PROCESS)),
    running: listOf(nounOf(RUNNING_ANALYSIS, { description: 'Oldest first, at most 100.' })),
    runningTotal: whole(),
    waitingTotal: whole(),
    oldestQueuedAt: nullable(moment()),
    waitReason: nullable(nounOf(WAIT_REASON)),
    store: nounOf(STORE_USE),
  },
};
/** gRPC has the models and workers in the same answer; GraphQL has a query for each. */
export interface Processes extends ValuesOf<typeof PROCESSES.fields> {
  models: ModelStatus[];
  workers: WorkerEntry[];
}

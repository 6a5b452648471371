/** What the box does now, and the boxes that work for it: `processes`, `workers`. */
import {
  listProcesses,
  type ProcessEntry,
  type Processes,
  type RunningAnalysis,
  type StoreUse,
} from '../../app/appliance/processes.ts';
import {
  drainWorker,
  forgetWorker,
  listWorkers,
  resumeWorker,
  type WorkerEntry,
} from '../../app/appliance/workers.ts';
import { waitReasonType } from './administration.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall, settleCall } from './transport/calls.ts';
import { definePayload } from './transport/payloads.ts';

const processType = builder.objectRef<ProcessEntry>('Process').implement({
  fields: (t) => ({
    pid: t.exposeInt('pid'),
    role: t.exposeString('role', { description: '`daemon`, `decode` or `inference`.' }),
    rssAnonBytes: t.expose('rssAnonBytes', {
      type: 'Long',
      description: 'Anonymous memory, descendants included.',
    }),
    cpuSeconds: t.exposeFloat('cpuSeconds', { description: 'User and system time, descendants included.' }),
    ageSeconds: t.exposeFloat('ageSeconds'),
  }),
});

const runningType = builder.objectRef<RunningAnalysis>('RunningAnalysis').implement({
  fields: (t) => ({
    identifier: t.exposeID('identifier', {
      description: 'Of the first record that it is for; empty where that was deleted.',
    }),
    records: t.exposeInt('records', { description: 'How many records it is for.' }),
    accountId: t.id({ resolve: ({ accountId }) => String(accountId) }),
    kind: t.expose('kind', { type: mediaKindEnum }),
    step: t.exposeString('step', { description: 'Empty before the first step.' }),
    stepDone: t.exposeInt('stepDone'),
    stepTotal: t.exposeInt('stepTotal'),
    attempts: t.exposeInt('attempts'),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
  }),
});

const workerType = builder.objectRef<WorkerEntry>('Worker').implement({
  description: 'A worker on another box, as far as it was heard of since the daemon started.',
  fields: (t) => ({
    name: t.exposeString('name'),
    version: t.exposeString('version'),
    places: t.exposeInt('places', { description: 'Analyses that it takes at once.' }),
    running: t.exposeInt('running'),
    done: t.expose('done', { type: 'Long' }),
    failed: t.expose('failed', { type: 'Long' }),
    clockOffsetSeconds: t.exposeFloat('clockOffsetSeconds', { description: 'Its clock less the daemon’s.' }),
    draining: t.exposeBoolean('draining', {
      description: 'It finishes what it has and takes nothing new: it is stopping, or drained.',
    }),
    drained: t.exposeBoolean('drained', {
      description: 'An administrator lets it take no work until it is resumed.',
    }),
    here: t.exposeBoolean('here', { description: 'Whether it was heard of in the last seconds.' }),
    refusal: t.exposeString('refusal', { nullable: true, description: 'Why it gets no work.' }),
    packs: t.exposeStringList('packs', {
      description: 'Id and version of each model pack, with the beginning of its SHA-256.',
    }),
    devices: t.exposeStringList('devices', {
      description: 'What its models compute on and how, each once: `cpu`, `cuda in half precision`.',
    }),
  }),
});

const workerPayloadType = definePayload<WorkerEntry>('Worker', 'worker', workerType);

const storeUseType = builder.objectRef<StoreUse>('StoreUse').implement({
  description: 'The file of the records, and who keeps it from using its free pages.',
  fields: (t) => ({
    bytes: t.expose('bytes', { type: 'Long' }),
    freeBytes: t.expose('freeBytes', {
      type: 'Long',
      description: 'Of these, in pages that no value needs.',
    }),
    oldestReaderTransactions: t.expose('oldestReaderTransactions', {
      type: 'Long',
      description:
        'Transactions since the oldest snapshot that is read; 0 where no reader is behind the last one.',
    }),
    oldestReaderSeconds: t.exposeFloat('oldestReaderSeconds', {
      description: 'How long that reader has been behind.',
    }),
  }),
});

const processesType = builder.objectRef<Processes>('Processes').implement({
  fields: (t) => ({
    processes: t.expose('processes', { type: [processType] }),
    running: t.expose('running', { type: [runningType], description: 'Oldest first, at most 100.' }),
    runningTotal: t.exposeInt('runningTotal'),
    waitingTotal: t.exposeInt('waitingTotal'),
    oldestQueuedAt: t.expose('oldestQueuedAt', { type: 'DateTime', nullable: true }),
    waitReason: t.expose('waitReason', { type: waitReasonType, nullable: true }),
    store: t.expose('store', { type: storeUseType }),
  }),
});

export function addProcessQueries(): void {
  builder.queryField('workers', (t) =>
    t.field({
      type: [workerType],
      nullable: true,
      description: 'Boxes that carry out work for this one, by name. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'workers', async () =>
          listWorkers(context.app, { principal: context.principal() }),
        ),
    }),
  );
  builder.queryField('processes', (t) =>
    t.field({
      type: processesType,
      nullable: true,
      description: 'The daemon, its children and the work under way. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'processes', () => listProcesses(context.app, { principal: context.principal() })),
    }),
  );
}

const CHANGES = {
  drainWorker: {
    change: drainWorker,
    description: 'It finishes what it has and takes nothing more, also after a restart of either side.',
  },
  resumeWorker: { change: resumeWorker, description: 'A drained worker takes work again.' },
  forgetWorker: {
    change: forgetWorker,
    description: 'A worker that is gone is listed no more, until it is heard of again.',
  },
} as const;

export function addWorkerMutations(): void {
  for (const [operation, { change, description }] of Object.entries(CHANGES)) {
    builder.mutationField(operation, (t) =>
      t.field({
        type: workerPayloadType,
        nullable: true,
        description: `${description} Administrators only.`,
        args: { name: t.arg.string({ required: true }) },
        resolve: (_, { name }, context) =>
          settleCall(context, operation, () => change(context.app, { principal: context.principal(), name })),
      }),
    );
  }
}

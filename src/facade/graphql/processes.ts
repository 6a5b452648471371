/** What the box does now: `processes`. */
import {
  listProcesses,
  type ProcessEntry,
  type Processes,
  type RunningAnalysis,
} from '../../app/appliance/processes.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall } from './transport/calls.ts';

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

const processesType = builder.objectRef<Processes>('Processes').implement({
  fields: (t) => ({
    processes: t.expose('processes', { type: [processType] }),
    running: t.expose('running', { type: [runningType], description: 'Oldest first, at most 100.' }),
    runningTotal: t.exposeInt('runningTotal'),
    waitingTotal: t.exposeInt('waitingTotal'),
    oldestQueuedAt: t.expose('oldestQueuedAt', { type: 'DateTime', nullable: true }),
  }),
});

export function addProcessQueries(): void {
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

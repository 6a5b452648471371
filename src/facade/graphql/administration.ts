/** What the administrator sees and does: audit log, queue, password links, credits. */
import { listAudit } from '../../app/accounts/audit.ts';
import { createPasswordLink } from '../../app/accounts/passwords.ts';
import { grantCredits } from '../../app/accounts/users.ts';
import {
  cancelAnalysis,
  getQueue,
  type Queue,
  type QueueEntry,
  retryAnalysis,
} from '../../app/appliance/queue.ts';
import type { AuditEntry } from '../../domain/accounts/audit.ts';
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import { sequencePageOf } from './accounts.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall, type Payload, settleCall } from './transport/calls.ts';
import {
  defineConnection,
  FIRST_DESCRIPTION,
  pageLimitOf,
  toSequenceConnection,
} from './transport/connection.ts';
import { toId } from './transport/input.ts';
import { userErrorType } from './transport/user-errors.ts';
import { userPayloadType } from './user-types.ts';

const auditEntryType = builder.objectRef<AuditEntry>('AuditEntry').implement({
  fields: (t) => ({
    sequence: t.exposeFloat('sequence'),
    at: t.expose('at', { type: 'DateTime' }),
    accountId: t.id({
      nullable: true,
      description: 'Null for the appliance itself and for a failed sign-in.',
      resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
    }),
    facade: t.exposeString('facade', { nullable: true }),
    remoteAddress: t.exposeString('remoteAddress', { nullable: true }),
    action: t.exposeString('action', { description: 'noun.verb: account.create, key.reveal.' }),
    target: t.exposeString('target', { description: 'What it was done to.' }),
    details: t.field({ type: 'JSON', resolve: ({ details }) => details }),
  }),
});

const auditConnectionType = defineConnection<AuditEntry>('AuditEntry', auditEntryType);

const queueEntryType = builder.objectRef<QueueEntry>('QueueEntry').implement({
  fields: (t) => ({
    analysisId: t.exposeID('analysisId'),
    accountId: t.id({ resolve: ({ accountId }) => String(accountId) }),
    kind: t.expose('kind', { type: mediaKindEnum }),
    identifiers: t.exposeStringList('identifiers', { description: 'Records that the analysis is for.' }),
    attempts: t.exposeInt('attempts'),
    queuedAt: t.expose('queuedAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    error: t.exposeString('error'),
  }),
});

export const waitReasonType = builder.objectRef<WaitReason>('WaitReason').implement({
  description: 'Why no place begins what waits. It is kept, and begun as soon as that has passed.',
  fields: (t) => ({
    step: t.exposeString('step', {
      description:
        '`no-broker`, `no-worker` or `not-ready`; the step of a record that waits is named so too, or `kept-here` where its plan keeps its media on a box that has no places.',
    }),
    sentence: t.exposeString('sentence'),
  }),
});

const queueType = builder.objectRef<Queue>('Queue').implement({
  fields: (t) => ({
    running: t.expose('running', { type: [queueEntryType], description: 'Oldest first.' }),
    waiting: t.expose('waiting', { type: [queueEntryType], description: 'Oldest first.' }),
    failed: t.expose('failed', { type: [queueEntryType], description: 'Newest first.' }),
    runningTotal: t.exposeInt('runningTotal'),
    waitingTotal: t.exposeInt('waitingTotal'),
    waitReason: t.expose('waitReason', { type: waitReasonType, nullable: true }),
  }),
});

export function addAdministrationQueries(): void {
  builder.queryFields((t) => ({
    auditEntries: t.field({
      type: auditConnectionType,
      nullable: true,
      description: 'Who did what, when and from where, newest first. Administrators only.',
      args: { first: t.arg.int({ description: FIRST_DESCRIPTION }), after: t.arg.string() },
      resolve: (_, args, context) =>
        countCall(context, 'auditEntries', () => {
          const query = { principal: context.principal(), ...sequencePageOf(args) };
          return toSequenceConnection(listAudit(context.app, query));
        }),
    }),
    queue: t.field({
      type: queueType,
      nullable: true,
      description: 'What runs, waits and has failed, of all accounts. Administrators only.',
      args: { first: t.arg.int({ description: `Entries of each list: ${FIRST_DESCRIPTION}` }) },
      resolve: (_, args, context) =>
        countCall(context, 'queue', () =>
          getQueue(context.app, { principal: context.principal(), limit: pageLimitOf(args) }),
        ),
    }),
  }));
}

type PasswordLink = Awaited<ReturnType<typeof createPasswordLink>>;

const linkPayloadType = builder.objectRef<Payload<PasswordLink>>('PasswordLinkPayload').implement({
  fields: (t) => ({
    link: t.string({ nullable: true, resolve: ({ value }) => value?.link ?? null }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ value }) => value?.expiresAt ?? null,
    }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

const workPayloadType = builder.objectRef<Payload<string[]>>('WorkPayload').implement({
  fields: (t) => ({
    identifiers: t.stringList({
      nullable: true,
      description: 'The records that the work is for.',
      resolve: ({ value }) => value,
    }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addAdministrationMutations(): void {
  builder.mutationFields((t) => ({
    cancelAnalysis: t.field({
      type: workPayloadType,
      nullable: true,
      description: 'Ends work that waits or runs, for every account that shares it. Administrators only.',
      args: { analysisId: t.arg.id({ required: true }) },
      resolve: (_, { analysisId }, context) =>
        settleCall(context, 'cancelAnalysis', () =>
          cancelAnalysis(context.app, { principal: context.principal(), analysisId }),
        ),
    }),
    retryAnalysis: t.field({
      type: workPayloadType,
      nullable: true,
      description: 'Runs failed work again; each owner pays as at the first time. Administrators only.',
      args: { analysisId: t.arg.id({ required: true }) },
      resolve: (_, { analysisId }, context) =>
        settleCall(context, 'retryAnalysis', () =>
          retryAnalysis(context.app, { principal: context.principal(), analysisId }),
        ),
    }),
    resetPassword: t.field({
      type: linkPayloadType,
      nullable: true,
      description: 'A single-use link with which a user sets a new password. Administrators only.',
      args: { email: t.arg.string({ required: true }) },
      resolve: (_, { email }, context) =>
        settleCall(context, 'resetPassword', () =>
          createPasswordLink(context.app, { principal: context.principal(), email }),
        ),
    }),
    grantCredits: t.field({
      type: userPayloadType,
      nullable: true,
      description: 'A negative amount takes some back. Administrators only.',
      args: {
        id: t.arg.id({ required: true }),
        amount: t.arg.int({ required: true }),
        note: t.arg.string({ description: 'Why, for the audit log.' }),
      },
      resolve: (_, { id, amount, note }, context) =>
        settleCall(context, 'grantCredits', () => {
          const grant = { principal: context.principal(), id: toId(id), amount, note: note ?? '' };
          return grantCredits(context.app, grant);
        }),
    }),
  }));
}

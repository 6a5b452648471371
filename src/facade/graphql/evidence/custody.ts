/** The custody log: entries of a record and of all, verification, proofs. */
import {
  type CustodyEpochReport,
  type CustodyFault,
  type CustodyReport,
  type CustodyView,
  checkCustody,
  listCustody,
  type ProvenCustody,
  proveCustody,
  redactCustody,
} from '../../../app/custody/custody.ts';
import {
  CHECKPOINT_FINDINGS,
  type JudgedCheckpoint,
  judgeCheckpoint,
} from '../../../app/custody/judge-checkpoint.ts';
import { sequencePageOf } from '../accounts.ts';
import { builder } from '../builder.ts';
import { countCall, type Payload, settleCall } from '../transport/calls.ts';
import { type Connection, defineConnection, FIRST_DESCRIPTION } from '../transport/connection.ts';
import { userErrorType } from '../transport/user-errors.ts';

const entryType = builder.objectRef<CustodyView>('CustodyEntry').implement({
  fields: (t) => ({
    sequence: t.expose('sequence', { type: 'Long', description: 'From 0 on, without gaps.' }),
    at: t.expose('at', { type: 'DateTime' }),
    kind: t.exposeString('kind', {
      description: 'received, analysed, looked_at, overridden, deleted, …, or an action of the audit log.',
    }),
    subject: t.exposeID('subject', { description: 'A record, an analysis or an epoch; empty for none.' }),
    accountId: t.id({
      nullable: true,
      description: 'Null for the appliance itself.',
      resolve: ({ accountId }) => (accountId === null ? null : String(accountId)),
    }),
    facade: t.exposeString('facade', {
      description:
        'Of the details, as the fields up to `what`: empty where they were deleted or are another account\u2019s.',
    }),
    remoteAddress: t.exposeString('remoteAddress'),
    target: t.exposeString('target'),
    details: t.field({ type: 'JSON', resolve: ({ details }) => details }),
    what: t.field({ type: 'JSON', nullable: true, resolve: ({ what }) => what }),
    line: t.exposeString('line', { description: 'The chained bytes: the leaf of the tree.' }),
    detailsJson: t.exposeString('detailsJson', { description: 'The bytes that the line commits to.' }),
    salt: t.exposeString('salt', { description: 'Of the commitment, hexadecimal.' }),
    detailsDeletedAt: t.expose('detailsDeletedAt', { type: 'DateTime', nullable: true }),
  }),
});

const connectionType = defineConnection<CustodyView>('CustodyEntry', entryType);

const epochType = builder.objectRef<CustodyEpochReport>('CustodyEpoch').implement({
  description: 'A restored box and a copy write under epochs of their own.',
  fields: (t) => ({
    id: t.exposeID('id'),
    sequence: t.expose('sequence', { type: 'Long', description: 'Of the entry that opened it.' }),
    at: t.expose('at', { type: 'DateTime' }),
    reason: t.exposeString('reason'),
  }),
});

const faultType = builder.objectRef<CustodyFault>('CustodyFault').implement({
  fields: (t) => ({
    sequence: t.expose('sequence', { type: 'Long', nullable: true, description: 'The bad entry.' }),
    fault: t.exposeString('fault'),
  }),
});

const reportType = builder.objectRef<CustodyReport>('CustodyReport').implement({
  fields: (t) => ({
    isWhole: t.exposeBoolean('isWhole'),
    size: t.expose('size', { type: 'Long', description: 'Entries.' }),
    root: t.exposeString('root', { description: 'Of the tree over them, base64.' }),
    epochs: t.expose('epochs', { type: [epochType] }),
    detailsDeleted: t.expose('detailsDeleted', {
      type: 'Long',
      description: 'Entries whose details were deleted, as an entry says.',
    }),
    olderLines: t.expose('olderLines', {
      type: 'Long',
      description: 'Audit lines that are older than the chain.',
    }),
    checkpoints: t.expose('checkpoints', { type: 'Long', description: 'Signed checkpoints that hold.' }),
    faults: t.expose('faults', {
      type: [faultType],
      description: 'The first ones, in the order of the log.',
    }),
    faultCount: t.expose('faultCount', { type: 'Long' }),
  }),
});

const provenEntryType = builder.objectRef<ProvenCustody['entries'][number]>('ProvenEntry').implement({
  fields: (t) => ({
    entry: t.expose('entry', { type: entryType }),
    inclusion: t.exposeStringList('inclusion', { description: 'Hashes in base64, from the leaf up.' }),
  }),
});

const proofType = builder.objectRef<ProvenCustody>('CustodyProof').implement({
  fields: (t) => ({
    checkpoint: t.exposeString('checkpoint', {
      description: 'A C2SP signed note over the log as it is now.',
    }),
    size: t.expose('size', { type: 'Long' }),
    entries: t.expose('entries', { type: [provenEntryType], description: 'The newest 1000, newest first.' }),
    consistency: t.exposeStringList('consistency', {
      description: 'Hashes in base64; empty where none was asked for.',
    }),
    publicKeyPem: t.exposeString('publicKeyPem'),
  }),
});

const findingEnum = builder.enumType('CheckpointFinding', {
  values: Object.fromEntries(CHECKPOINT_FINDINGS.map((value) => [value.toUpperCase(), { value }])),
});

const judgedType = builder.objectRef<JudgedCheckpoint>('JudgedCheckpoint').implement({
  fields: (t) => ({
    finding: t.field({ type: findingEnum, resolve: ({ finding }) => finding }),
    reason: t.exposeString('reason'),
  }),
});

const redactPayloadType = builder.objectRef<Payload<number[]>>('RedactCustodyPayload').implement({
  fields: (t) => ({
    sequences: t.field({ type: ['Long'], resolve: ({ value }) => value ?? [] }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addCustodyQueries(): void {
  builder.queryFields((t) => ({
    custody: t.field({
      type: connectionType,
      nullable: true,
      description:
        'What happened to a record, newest first; without an identifier the whole log, for administrators only.',
      args: {
        identifier: t.arg.id(),
        first: t.arg.int({ description: FIRST_DESCRIPTION }),
        after: t.arg.string(),
      },
      resolve: (_, { identifier, ...args }, context) =>
        countCall(context, 'custody', () => {
          const query = {
            principal: context.principal(),
            identifier: identifier ?? '',
            ...sequencePageOf(args),
          };
          return toConnection(listCustody(context.app, query));
        }),
    }),
    custodyReport: t.field({
      type: reportType,
      nullable: true,
      description: 'Reads the whole log and tells what is wrong with it. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'custodyReport', () =>
          checkCustody(context.app, { principal: context.principal() }, new AbortController().signal),
        ),
    }),
    custodyProof: t.field({
      type: proofType,
      nullable: true,
      description:
        'A record\u2019s entries with proofs that they are in the log that a signed checkpoint names.',
      args: {
        identifier: t.arg.id({ required: true }),
        sinceSize: t.arg({
          type: 'Long',
          description: 'Of an earlier checkpoint, for the proof of consistency.',
        }),
      },
      resolve: (_, { identifier, sinceSize }, context) =>
        countCall(context, 'custodyProof', () =>
          proveCustody(context.app, {
            principal: context.principal(),
            identifier,
            sinceSize: sinceSize ?? 0,
          }),
        ),
    }),
    judgeCheckpoint: t.field({
      type: judgedType,
      nullable: true,
      description: 'Whether a checkpoint that somebody holds is of this log. Administrators only.',
      args: { checkpoint: t.arg.string({ required: true }) },
      resolve: (_, { checkpoint }, context) =>
        countCall(context, 'judgeCheckpoint', () =>
          judgeCheckpoint(context.app, { principal: context.principal(), checkpoint }),
        ),
    }),
  }));
}

export function addCustodyMutations(): void {
  builder.mutationField('redactCustody', (t) =>
    t.field({
      type: redactPayloadType,
      nullable: true,
      description:
        'Deletes the details of entries; that they were there stays, and that they were deleted. Administrators only.',
      args: {
        sequences: t.arg({ type: ['Long'], required: true, description: 'At most 100.' }),
        reason: t.arg.string({ description: 'Without anything of what is deleted.' }),
      },
      resolve: (_, { sequences, reason }, context) =>
        settleCall(context, 'redactCustody', () =>
          redactCustody(context.app, { principal: context.principal(), sequences, reason: reason ?? '' }),
        ),
    }),
  );
}

/** The number of an entry is its cursor, and the first has the number 0. */
function toConnection(entries: readonly CustodyView[]): Connection<CustodyView> {
  return {
    edges: entries.map((node) => ({ node, cursor: String(node.sequence) })),
    hasNextPage: (entries.at(-1)?.sequence ?? 0) > 0,
  };
}

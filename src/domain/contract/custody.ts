/** What the custody log says of itself, one row a field. */
import {
  type Choice,
  flag,
  identifier,
  json,
  listOf,
  long,
  moment,
  nounOf,
  nullable,
  oneOf,
  text,
  type ValuesOf,
} from '../field.ts';

export const CUSTODY_ENTRY = {
  name: 'CustodyEntry',
  fields: {
    sequence: long({ description: 'From 0 on, without gaps.' }),
    at: moment(),
    kind: text({
      description: 'received, analysed, looked_at, overridden, deleted, …, or an action of the audit log.',
    }),
    subject: identifier<string>({ description: 'A record, an analysis or an epoch; empty for none.' }),
    accountId: nullable(identifier<number>({ description: 'Null for the appliance itself.' })),
    facade: text({
      description:
        'Read from the details, as the fields up to `what`: empty if they were deleted or are another account’s.',
    }),
    remoteAddress: text(),
    target: text(),
    details: json<Readonly<Record<string, string>>>(),
    what: nullable(json<Readonly<Record<string, unknown>>>()),
    line: text({ description: 'The chained bytes: the leaf of the tree.' }),
    detailsJson: text({ description: 'The bytes that the line commits to.' }),
    salt: text({ description: 'Salt of the commitment, hexadecimal.' }),
    detailsDeletedAt: nullable(moment()),
  },
};
export interface CustodyView extends ValuesOf<typeof CUSTODY_ENTRY.fields> {}

const CUSTODY_EPOCH = {
  name: 'CustodyEpoch',
  description: 'A restored box and a copy write under epochs of their own.',
  fields: {
    id: identifier<string>(),
    sequence: long({ description: 'Number of the entry that opened it.' }),
    at: moment(),
    reason: text(),
  },
};

const CUSTODY_FAULT = {
  name: 'CustodyFault',
  fields: { sequence: nullable(long({ description: 'The bad entry.' })), fault: text() },
};

export const CUSTODY_REPORT = {
  name: 'CustodyReport',
  fields: {
    isWhole: flag(),
    size: long({ description: 'Entries.' }),
    root: text({ description: 'Root of the tree over them, base64.' }),
    epochs: listOf(nounOf(CUSTODY_EPOCH)),
    detailsDeleted: long({ description: 'Entries whose details were deleted, as an entry says.' }),
    olderLines: long({ description: 'Audit lines that are older than the chain.' }),
    checkpoints: long({ description: 'Signed checkpoints that hold.' }),
    faults: listOf(nounOf(CUSTODY_FAULT, { description: 'The first ones, in the order of the log.' })),
    faultCount: long(),
  },
};
export interface CustodyReport extends ValuesOf<typeof CUSTODY_REPORT.fields> {}

const PROVEN_ENTRY = {
  name: 'ProvenEntry',
  fields: {
    entry: nounOf(CUSTODY_ENTRY),
    inclusion: listOf(text({ description: 'Hashes in base64, from the leaf up.' })),
  },
};

export const CUSTODY_PROOF = {
  name: 'CustodyProof',
  fields: {
    checkpoint: text({ description: 'A C2SP signed note over the log as it is now.' }),
    size: long(),
    entries: listOf(nounOf(PROVEN_ENTRY, { description: 'The newest 1000, newest first.' })),
    consistency: listOf(text({ description: 'Hashes in base64; empty where none was asked for.' })),
    publicKeyPem: text(),
  },
};
export interface ProvenCustody extends ValuesOf<typeof CUSTODY_PROOF.fields> {}

const CHECKPOINT_FINDING = {
  name: 'CheckpointFinding',
  words: ['held', 'after_restored_point', 'rolled_back', 'unknown_epoch', 'other_log', 'foreign'],
} as const satisfies Choice;

export const JUDGED_CHECKPOINT = {
  name: 'JudgedCheckpoint',
  /** The reason is for a person. */
  fields: { finding: oneOf(CHECKPOINT_FINDING), reason: text() },
};
export interface JudgedCheckpoint extends ValuesOf<typeof JUDGED_CHECKPOINT.fields> {}

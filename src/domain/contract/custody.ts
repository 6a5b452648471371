import {
  type Choice,
  flag,
  identifier,
  idNumber,
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
    sequence: long('From 0 on, without gaps.'),
    at: moment(),
    kind: text('received, analysed, looked_at, overridden, deleted, …, or an action of the audit log.'),
    subject: identifier('Identifier of a record, an analysis or an epoch; empty where it is about none.'),
    accountId: nullable(idNumber('Who did it; null for the appliance itself.')),
    accountName: text(
      'Name of that account; empty if it is gone, or if the reader is neither a colleague nor an administrator.',
    ),
    facade: text(
      'Read from the details, as the fields up to `what`: empty if they were deleted or are another account’s.',
    ),
    remoteAddress: text(),
    target: text(),
    details: json<Readonly<Record<string, string>>>(),
    what: nullable(json<Readonly<Record<string, unknown>>>()),
    line: text('The chained bytes, exactly; the leaf of the tree.'),
    detailsJson: text('The bytes that the line commits to.'),
    salt: text('Salt of the commitment, hexadecimal.'),
    detailsDeletedAt: nullable(moment()),
  },
};
export interface CustodyView extends ValuesOf<typeof CUSTODY_ENTRY.fields> {}

const CUSTODY_EPOCH = {
  name: 'CustodyEpoch',
  description: 'A restored box and a copy write under epochs of their own.',
  fields: {
    id: identifier(),
    sequence: long('Number of the entry that opened it.'),
    at: moment(),
    reason: text(),
  },
};

const CUSTODY_FAULT = {
  name: 'CustodyFault',
  fields: { sequence: nullable(long('The bad entry; null where it is none in particular.')), fault: text() },
};

export const CUSTODY_REPORT = {
  name: 'CustodyReport',
  fields: {
    isWhole: flag(),
    size: long('Entries.'),
    root: text('Root of the tree over them, base64.'),
    epochs: listOf(nounOf(CUSTODY_EPOCH)),
    detailsDeleted: long('Entries whose details were deleted, as an entry says.'),
    olderLines: long('Audit lines that are older than the chain.'),
    checkpoints: long('Signed checkpoints that hold.'),
    faults: listOf(nounOf(CUSTODY_FAULT, 'The first ones, in the order of the log.')),
    faultCount: long(),
  },
};
export interface CustodyReport extends ValuesOf<typeof CUSTODY_REPORT.fields> {}

const PROVEN_ENTRY = {
  name: 'ProvenEntry',
  fields: {
    entry: nounOf(CUSTODY_ENTRY),
    inclusion: listOf(text('Hashes in base64, from the leaf up (RFC 9162, 2.1.3).')),
  },
};

export const CUSTODY_PROOF = {
  name: 'CustodyProof',
  fields: {
    checkpoint: text('A C2SP signed note over the log as it is now.'),
    size: long(),
    entries: listOf(nounOf(PROVEN_ENTRY, 'The newest 1000, newest first.')),
    consistency: listOf(text('Hashes in base64 (RFC 9162, 2.1.4); empty where none was asked for.')),
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

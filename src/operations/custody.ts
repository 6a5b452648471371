/** The custody log, and the keys that sign its heads and the evidence. */
import { checkCustody, listCustody, proveCustody, redactCustody } from '../app/custody/custody.ts';
import { judgeCheckpoint } from '../app/custody/judge-checkpoint.ts';
import { listEvidenceKeys, rotateEvidenceKey } from '../app/evidence/signing-keys.ts';
import { getPackageTimestamps } from '../app/evidence/timestamps.ts';
import {
  CUSTODY_ENTRY,
  CUSTODY_PROOF,
  CUSTODY_REPORT,
  JUDGED_CHECKPOINT,
} from '../domain/contract/custody.ts';
import { EVIDENCE_EXPORT, EVIDENCE_KEY } from '../domain/contract/evidence.ts';
import { identifier, json, listOf, long, moment, nounOf, nullable, text } from '../domain/field.ts';
import { itself, mutation, one, optional, page, pageInput, query, several } from './operation.ts';

const KEYS = one('keys', listOf(nounOf(EVIDENCE_KEY)));

export const CUSTODY_OPERATIONS = {
  listCustodyEntries: query({
    field: 'custody',
    description:
      'What happened to a record, newest first; without an identifier the whole log, for administrators only.',
    input: { identifier: optional(identifier()), ...pageInput() },
    answer: page('entries', nounOf(CUSTODY_ENTRY), { cursor: 'sequence' }),
    run: listCustody,
  }),
  verifyCustody: query({
    description: 'Reads the whole log and lists what is wrong with it, the first bad entry first.',
    role: 'admin',
    answer: itself('custodyReport', nounOf(CUSTODY_REPORT)),
    run: checkCustody,
  }),
  proveCustody: query({
    description: 'A record’s entries with proofs that they are in the log that a signed checkpoint names.',
    input: {
      identifier: identifier(),
      sinceSize: optional(
        long('The size of an earlier checkpoint, for the proof that this log goes on from it; 0 for none.'),
      ),
    },
    answer: itself('custodyProof', nounOf(CUSTODY_PROOF)),
    run: proveCustody,
  }),
  judgeCheckpoint: query({
    description: 'Whether a checkpoint that somebody holds is of this log.',
    role: 'admin',
    input: { checkpoint: text() },
    answer: itself('judgeCheckpoint', nounOf(JUDGED_CHECKPOINT)),
    run: judgeCheckpoint,
  }),
  redactCustody: mutation({
    description: 'Deletes the details of entries; that they were there stays, and that they were deleted.',
    role: 'admin',
    input: {
      sequences: listOf(long('At most 100.')),
      reason: optional(text('For the entry that says so; without anything of what is deleted.')),
    },
    answer: one('sequences', listOf(long())),
    payload: 'RedactCustody',
    whenRefused: { sequences: [] },
    run: redactCustody,
  }),
};

export const EVIDENCE_OPERATIONS = {
  getPackageTimestamps: query({
    field: null,
    input: { packageSha256: text() },
    answer: several({ timestamps: json<readonly object[]>(), nextAttemptAt: nullable(moment()) }),
    run: (app, input) => {
      const { requests: timestamps, nextAttemptAt } = getPackageTimestamps(app, input);
      return { timestamps, nextAttemptAt };
    },
  }),
  listEvidenceKeys: query({
    field: 'evidenceKeys',
    description: 'The public keys of all that was ever signed here, newest first.',
    answer: KEYS,
    run: listEvidenceKeys,
  }),
  rotateEvidenceKey: mutation({
    description: 'Puts a new key in the place of the present one, whose public half stays published.',
    role: 'admin',
    answer: KEYS,
    payload: 'RotateEvidenceKey',
    run: rotateEvidenceKey,
  }),
  /** For the page, which follows the package and fetches it later. The rpc of the same name is a stream. */
  exportEvidence: mutation({
    description:
      'Begins a signed package of one record, or of several as a case; `evidenceExport` says how far it is.',
    input: {
      identifiers: listOf(identifier('Identifiers of whole records, at most 200; several are a case.')),
      title: optional(text('Title of the report, at most 200 characters.')),
      notes: optional(text('What the editor knows besides; at most 10,000 characters.')),
      language: optional(text('Language of the report: en (the default) or it.')),
    },
    isForReaders: true,
    answer: one('export', nounOf(EVIDENCE_EXPORT)),
    payload: 'ExportEvidence',
    run: (app, { principal, identifiers, ...fields }) =>
      app.exportJobs.start(app, { principal, identifiers, fields }),
  }),
  findEvidenceExport: query({
    rpc: null,
    description: 'How far a package is that this account asked for.',
    input: { id: identifier() },
    answer: one('evidenceExport', nounOf(EVIDENCE_EXPORT)),
    run: (app, { principal, id }) => app.exportJobs.find(principal, id),
  }),
};

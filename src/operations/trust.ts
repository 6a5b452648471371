/** Trust lists, and stored manifests read anew under them. */
import {
  addTrustList,
  findTrustedCertificates,
  listTrustLists,
  previewTrustListUpdate,
  removeTrustList,
  setTrustListOn,
  updateTrustList,
} from '../app/trust/trust-lists.ts';
import {
  TRUST_LIST,
  TRUST_LIST_DIFF,
  TRUST_LIST_KIND,
  TRUSTED_CERTIFICATE,
} from '../domain/contract/trust.ts';
import { type Field, flag, identifier, listOf, nounOf, nullable, oneOf, text } from '../domain/field.ts';
import { RECHECKED_RECORD, TRUST_RECHECK } from '../domain/provenance/trust-recheck.ts';
import { initially, mutation, one, page, pageInput, query } from './operation.ts';

const LIST = nounOf({
  name: 'TrustList',
  description: 'Whose signatures and time stamps in manifests count.',
  fields: TRUST_LIST,
});
const ONE_LIST = one('list', LIST);
const DIFF = nounOf({
  name: 'TrustListDiff',
  description: 'What a newer edition of a list would change.',
  fields: TRUST_LIST_DIFF,
});
const RECHECK = nounOf({
  name: 'TrustRecheck',
  description: 'Manifests of stored files read anew under the trust lists of now.',
  fields: TRUST_RECHECK,
});
const RECHECKED = nounOf({
  name: 'RecheckedRecord',
  description: 'A record that reads otherwise, or could not be read anew.',
  fields: RECHECKED_RECORD,
});

const CONTENT = 'Certificates in PEM, or the C2PA’s list of conforming products as JSON.';
const DATE = 'Day of its publication, YYYY-MM-DD.';

/** Bytes in gRPC, text in GraphQL. */
const content = (description: string): Field<string | Uint8Array> => ({ type: 'text', description });

function withBytes<Input extends { content: string | Uint8Array }>(
  input: Input,
): Omit<Input, 'content'> & { content: Uint8Array } {
  const { content: given } = input;
  return { ...input, content: typeof given === 'string' ? Buffer.from(given) : given };
}

export const TRUST_OPERATIONS = {
  listTrustLists: query({ field: 'trustLists', answer: one('lists', listOf(LIST)), run: listTrustLists }),
  findTrustedCertificates: query({
    field: 'trustedCertificates',
    description: 'By a fingerprint or its beginning, or by a part of a name; at most 100.',
    input: { text: text() },
    answer: one('certificates', listOf(nounOf({ name: 'TrustedCertificate', fields: TRUSTED_CERTIFICATE }))),
    run: (app, input) => findTrustedCertificates(app, input.text),
  }),
  previewTrustListUpdate: query({
    field: 'trustListDiff',
    description: 'What a newer edition would change, and whose signatures it would drop.',
    role: 'admin',
    input: { id: identifier(), content: content(CONTENT) },
    answer: one('diff', DIFF),
    run: (app, input) => previewTrustListUpdate(app, withBytes(input)),
  }),
  addTrustList: mutation({
    description: 'A list of one’s own.',
    role: 'admin',
    input: {
      id: identifier('1 to 40 lower-case letters, digits and dashes.'),
      kind: oneOf(TRUST_LIST_KIND),
      content: content(CONTENT),
      date: text(DATE),
      name: initially('', text()),
      source: initially('', text()),
      terms: initially('', text()),
      single: initially(
        false,
        flag('The certificates count by themselves, as those of publishers; otherwise they are authorities.'),
      ),
    },
    answer: ONE_LIST,
    payload: 'TrustList',
    run: (app, input) => addTrustList(app, withBytes(input)),
  }),
  updateTrustList: mutation({
    description: 'Puts a newer edition in the place of a list, or puts back the one that came with Assay.',
    role: 'admin',
    input: {
      id: identifier(),
      content: content(`${CONTENT} Empty: the edition that came with Assay.`),
      date: initially('', text(DATE)),
      dropSeen: initially(false, flag('Otherwise it is refused where it drops a signer of a record here.')),
    },
    answer: ONE_LIST,
    payload: 'TrustList',
    run: (app, input) => updateTrustList(app, withBytes(input)),
  }),
  setTrustListOn: mutation({
    role: 'admin',
    input: { id: identifier(), isOn: flag() },
    answer: ONE_LIST,
    payload: 'TrustList',
    run: setTrustListOn,
  }),
  removeTrustList: mutation({
    description: 'Only a list that was added.',
    role: 'admin',
    input: { id: identifier() },
    answer: ONE_LIST,
    payload: 'TrustList',
    run: removeTrustList,
  }),
};

export const RECHECK_OPERATIONS = {
  getTrustRecheck: query({
    field: 'trustRecheck',
    description: 'The one that runs, or the last one; null where there was none.',
    role: 'admin',
    answer: one('recheck', nullable(RECHECK)),
    run: ({ trustRechecks }, { principal }) => trustRechecks.current(principal),
  }),
  listRecheckedRecords: query({
    field: 'recheckedRecords',
    description:
      'Records that the last one found to read otherwise, or could not read anew, newest first; at most 10,000 are kept.',
    role: 'admin',
    input: pageInput(),
    answer: page('records', RECHECKED, { cursor: 'sequence', first: 1 }),
    run: ({ trustRechecks }, { principal, ...lines }) => trustRechecks.records(principal, lines),
  }),
  startTrustRecheck: mutation({
    description:
      'Begins to read the manifests of all stored files anew under the lists of now; answers the one that runs already.',
    role: 'admin',
    answer: one('recheck', RECHECK),
    payload: 'TrustRecheck',
    run: ({ trustRechecks }, { principal }) => trustRechecks.begin(principal),
  }),
  cancelTrustRecheck: mutation({
    description: 'Ends the one that runs; what it did stays.',
    role: 'admin',
    answer: one('recheck', nullable(RECHECK)),
    payload: 'TrustRecheck',
    run: ({ trustRechecks }, { principal }) => trustRechecks.cancel(principal),
  }),
};

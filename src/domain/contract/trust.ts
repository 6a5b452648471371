/** Trust lists and rechecks, one row a field. */

import {
  type Choice,
  type FieldsOf,
  flag,
  identifier,
  idNumber,
  listOf,
  long,
  moment,
  type Noun,
  noun,
  nullable,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import {
  type AppliedList,
  TRUST_LIST_KINDS,
  TRUST_LIST_ORIGINS,
  type TrustedCertificate,
  type TrustListKind,
  type TrustListOrigin,
} from '../provenance/trust-list.ts';
import {
  type AnswerChange,
  RECHECK_OUTCOMES,
  RECHECK_STATES,
  RECHECKED_ANSWERS,
  type RecheckedAnswer,
  type RecheckedRecord,
  type RecheckOutcome,
  type RecheckState,
  type TrustRecheck,
} from '../provenance/trust-recheck.ts';

export const TRUST_LIST_KIND = {
  name: 'TrustListKind',
  description: 'TIME: timestamp authorities. PRODUCTS: names software and devices, and vouches for no one.',
  words: TRUST_LIST_KINDS,
} as const satisfies Choice;
export const TRUST_LIST_ORIGIN = {
  name: 'TrustListOrigin',
  description: 'SETTING: provenance.trust_anchors_file.',
  words: TRUST_LIST_ORIGINS,
} as const satisfies Choice;

export const TRUST_LIST = {
  id: text(),
  name: text(),
  kind: oneOf<TrustListKind>(TRUST_LIST_KIND),
  origin: oneOf<TrustListOrigin>(TRUST_LIST_ORIGIN),
  isOn: flag(),
  isUpdated: flag('Whether a newer edition stands in the place of the one that came.'),
  source: text(),
  date: text('Day of its publication, YYYY-MM-DD; empty where it is not known.'),
  frozen: text('Day after which nothing was added; empty for a list that is kept up.'),
  terms: text(),
  sha256: text('Hash of its files, hex.'),
  authorities: whole(),
  singleCertificates: whole('Certificates that count by themselves.'),
  products: whole(),
};

export interface TrustListView extends ValuesOf<typeof TRUST_LIST> {}

export const TRUSTED_CERTIFICATE = {
  list: text('Identifier of its list.'),
  subject: text(),
  issuer: text(),
  fingerprint: text('SHA-256, hex.'),
  validFrom: moment(),
  validUntil: moment(),
  isSingle: flag('Counts by itself, and for nothing that it issued.'),
} satisfies FieldsOf<TrustedCertificate>;

export const TRUST_LIST_DIFF = {
  id: text(),
  sha256: text('SHA-256 of the newer edition, hex.'),
  added: listOf(text('Names of certificates, and of products.')),
  removed: listOf(text()),
  addedCount: whole('How many there are of each; of the names at most 200 are listed.'),
  removedCount: whole(),
  droppedSigners: listOf(text('Signers of records here for whom nothing else vouches: at most 20.')),
};
export interface TrustListDiff extends ValuesOf<typeof TRUST_LIST_DIFF> {}

export const RECHECK_STATE = {
  name: 'RecheckState',
  words: RECHECK_STATES,
} as const satisfies Choice;
export const RECHECK_OUTCOME = {
  name: 'RecheckOutcome',
  description:
    'MEDIA_GONE: the file is not kept any more. With it and UNREADABLE what was read before stands.',
  words: RECHECK_OUTCOMES,
} as const satisfies Choice;
export const RECHECKED_ANSWER = {
  name: 'RecheckedAnswer',
  description:
    'VOUCHED_BY: the lists that vouch for the signer. INGREDIENTS: states of the manifests beneath the one that speaks for the file.',
  words: RECHECKED_ANSWERS,
} as const satisfies Choice;

const ANSWER_CHANGE = {
  answer: oneOf<RecheckedAnswer>(RECHECKED_ANSWER),
  before: text('Words of the answers; empty for none.'),
  after: text(),
} satisfies FieldsOf<AnswerChange>;

export const TRUST_RECHECK = {
  state: oneOf<RecheckState>(RECHECK_STATE),
  startedAt: moment(),
  endedAt: nullable(moment()),
  startedBy: idNumber('Account of who asked for it.'),
  lists: listOf(noun<AppliedList>('AppliedTrustList', 'Trust lists under which it reads.')),
  looked: long('Stored analyses that were looked at.'),
  total: long('Stored analyses at the start.'),
  unchanged: long(
    'Manifests by what became of them; those that these lists judged already are not read again.',
  ),
  changed: long(),
  mediaGone: long(),
  unreadable: long(),
} satisfies FieldsOf<TrustRecheck>;

export const RECHECKED_RECORD = {
  sequence: long(),
  identifier: identifier(),
  accountId: idNumber(),
  name: text(),
  outcome: oneOf<RecheckOutcome>(RECHECK_OUTCOME),
  changes: listOf(noun<AnswerChange>('AnswerChange')),
  listsBefore: listOf(noun<AppliedList>('AppliedTrustList', 'Trust lists that judged it before.')),
  listsAfter: listOf(noun<AppliedList>('AppliedTrustList')),
  reason: text('Why it could not be read anew; empty otherwise.'),
  at: moment(),
} satisfies FieldsOf<RecheckedRecord>;

export const TRUST_PARTS: readonly Noun[] = [
  { name: 'AnswerChange', description: 'An answer that reads otherwise.', fields: ANSWER_CHANGE },
];

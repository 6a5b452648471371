import { type Choice, flag, listOf, moment, type Noun, oneOf, text, type ValuesOf, whole } from '../field.ts';
import {
  TRUST_LIST_KINDS,
  TRUST_LIST_ORIGINS,
  type TrustListKind,
  type TrustListOrigin,
} from '../provenance/trust-list.ts';
import { ANSWER_CHANGE } from '../provenance/trust-recheck.ts';

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
};
export interface TrustedCertificate extends ValuesOf<typeof TRUSTED_CERTIFICATE> {}

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

export const TRUST_PARTS: readonly Noun[] = [
  { name: 'AnswerChange', description: 'An answer that reads otherwise.', fields: ANSWER_CHANGE },
];

/** What is told of trust lists, one row a field. */
import {
  TRUST_LIST_KINDS,
  TRUST_LIST_ORIGINS,
  type TrustedCertificate,
  type TrustListKind,
  type TrustListOrigin,
} from '../provenance/trust-list.ts';
import { type Choice, type FieldsOf, flag, moment, oneOf, text, type ValuesOf, whole } from './field.ts';

export const TRUST_LIST_KIND = {
  name: 'TrustListKind',
  description: 'TIME: authorities of time. PRODUCTS: names software and devices, and vouches for nobody.',
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
  isUpdated: flag({ description: 'Whether a newer edition stands in the place of the one that came.' }),
  source: text(),
  date: text({ description: 'Day of its publication, YYYY-MM-DD; empty where it is not known.' }),
  frozen: text({
    description: 'Day after which nothing was added; empty for a list that is kept up.',
  }),
  terms: text(),
  sha256: text({ description: 'Of its files, hex.' }),
  authorities: whole(),
  singleCertificates: whole({ description: 'Certificates that count by themselves.' }),
  products: whole(),
};

export interface TrustListView extends ValuesOf<typeof TRUST_LIST> {}

export const TRUSTED_CERTIFICATE = {
  list: text({ description: 'Identifier of its list.' }),
  subject: text(),
  issuer: text(),
  fingerprint: text({ description: 'SHA-256, hex.' }),
  validFrom: moment(),
  validUntil: moment(),
  isSingle: flag({ description: 'Counts by itself, and for nothing that it issued.' }),
} satisfies FieldsOf<TrustedCertificate>;

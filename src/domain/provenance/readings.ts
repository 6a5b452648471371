/** Reads a manifest as four plain answers; `broken` needs a failed binding or signature, no expired or unlisted signer. */
import {
  type Choice,
  flag,
  listOf,
  moment,
  noun,
  nullable,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import type { ManifestFacts, SignerFacts, StoreFacts, Voucher } from './manifest-facts.ts';
import { OFFICIAL_LIST } from './trust-list.ts';
import { type Answer, type Meaning, meaningOf } from './validation-codes.ts';

const UNCHANGED_ANSWER = {
  name: 'UnchangedAnswer',
  description: 'Since it was signed. NOT_CHECKABLE: an ingredient, whose file is not here.',
  words: ['yes', 'changed', 'nothing_bound', 'not_checkable', 'unclear'],
} as const satisfies Choice;
export type UnchangedAnswer = (typeof UNCHANGED_ANSWER.words)[number];

const SIGNER_ANSWER = {
  name: 'SignerAnswer',
  words: ['on_list', 'on_no_list', 'revoked', 'wrong_use', 'signature_fails', 'unclear'],
} as const satisfies Choice;
export type SignerAnswer = (typeof SIGNER_ANSWER.words)[number];

const TIME_ANSWER = {
  name: 'TimeAnswer',
  description:
    'STAMPED: by an authority of a list. VALID_NOW: no such stamp, and the certificate was valid when the file was read. EXPIRED: and nothing shows when it was signed. OUTSIDE: signed when the certificate was not valid.',
  words: ['stamped', 'valid_now', 'expired', 'outside', 'unclear'],
} as const satisfies Choice;
export type TimeAnswer = (typeof TIME_ANSWER.words)[number];

const WHO_ANSWER = {
  name: 'WhoAnswer',
  description: 'Answer about an identity assertion (CAWG); NOBODY if there is none.',
  words: ['nobody', 'verified', 'not_checkable', 'failed'],
} as const satisfies Choice;
export type WhoAnswer = (typeof WHO_ANSWER.words)[number];

const READING_STATE = {
  name: 'ReadingState',
  description:
    'TRUSTED: unchanged, signed by one on a list, in time. INTACT: nothing speaks against it, but one of these is not shown. DOUBTFUL: something else speaks against it, or a code could not be judged. BROKEN: a binding or a signature fails.',
  words: ['trusted', 'intact', 'doubtful', 'broken'],
} as const satisfies Choice;
export type ReadingState = (typeof READING_STATE.words)[number];

export const READINGS = {
  state: oneOf(READING_STATE),
  unchanged: oneOf(UNCHANGED_ANSWER),
  signedBy: noun<SignedBy>('SignedBy'),
  inTime: noun<InTime>('InTime'),
  who: noun<Who>('Who'),
  notes: listOf(
    noun<ReadingNote>(
      'ReadingNote',
      'Codes that break a rule or could not be judged, and those that no table has.',
    ),
  ),
};
export interface Readings extends ValuesOf<typeof READINGS> {}

export const SIGNED_BY = {
  answer: oneOf(SIGNER_ANSWER),
  name: text('As in the certificate.'),
  organisation: text(),
  issuer: text('Who issued the certificate.'),
  fingerprint: text('SHA-256 of the certificate, hex.'),
  product: text('As the list of conforming products calls it; empty where it is not on it.'),
  assuranceLevel: nullable(whole()),
  lists: listOf(noun<Voucher>('Voucher', 'Lists that vouch for the signer.')),
  validFrom: nullable(moment()),
  validUntil: nullable(moment()),
};
export interface SignedBy extends ValuesOf<typeof SIGNED_BY> {}

export const IN_TIME = {
  answer: oneOf(TIME_ANSWER),
  stampedAt: nullable(moment('When the time stamp says that it was signed, by any authority.')),
  authority: text(),
  lists: listOf(noun<Voucher>('Voucher', 'Lists that vouch for the authority.')),
};
export interface InTime extends ValuesOf<typeof IN_TIME> {}

export const WHO = {
  answer: oneOf(WHO_ANSWER),
  names: listOf(text('As it says; verified only where the answer says so.')),
};
export interface Who extends ValuesOf<typeof WHO> {}

export const NOTE = {
  code: text('Code of the C2PA or CAWG specification, or of none.'),
  isUnknown: flag('Whether no table has the code.'),
  explanation: text(),
};
export interface ReadingNote extends ValuesOf<typeof NOTE> {}

export interface ReadAs {
  /** Whether this is the file's active manifest. */
  isActive: boolean;
  /** When the file was read, microseconds since 1970. */
  readAt: number;
}

export function readManifest(facts: ManifestFacts, { isActive, readAt }: ReadAs): Readings {
  const said = new Map<Answer, Set<Meaning>>();
  const notes: ReadingNote[] = [];
  for (const { code, kind, isAboutIdentity, explanation } of facts.codes) {
    const row = meaningOf(code, kind, isAboutIdentity);
    if (row === null || row.meaning === 'irregular') {
      notes.push({ code, isUnknown: row === null, explanation });
    }
    if (row === null) continue;
    said.set(row.answer, (said.get(row.answer) ?? new Set()).add(row.meaning));
  }
  const says: Says = (answer, meaning) => said.get(answer)?.has(meaning) ?? false;
  const unchanged = unchangedOf(says, isActive);
  const signedBy = signedByOf(says, facts.signer);
  const inTime = inTimeOf(says, facts.signer, readAt);
  const who = whoOf(says, facts);
  const answers = { unchanged, signedBy, inTime, who, notes };
  return { state: stateOf(answers), ...answers };
}

/** The readings of the active manifest; null if none could be read. */
export function readActive(store: StoreFacts): Readings | null {
  const facts = store.manifests.find(({ label }) => label === store.active);
  return facts === undefined ? null : readManifest(facts, { isActive: true, readAt: store.readAt });
}

type Says = (answer: Answer, meaning: Meaning) => boolean;

function unchangedOf(says: Says, isActive: boolean): UnchangedAnswer {
  if (says('unchanged', 'changed')) return 'changed';
  if (says('unchanged', 'unbound')) return 'nothing_bound';
  if (says('unchanged', 'bound')) return 'yes';
  return isActive ? 'unclear' : 'not_checkable';
}

function signedByOf(says: Says, signer: SignerFacts | null): SignedBy {
  const { name = '', organisation = '', issuer = '', fingerprint = '' } = signer ?? {};
  const { notBefore: validFrom = null, notAfter: validUntil = null } = signer ?? {};
  const answer = signerAnswerOf(says, signer);
  // Only the official list proves a product: anybody can write its name into a certificate of their own.
  const isOfficial =
    answer === 'on_list' && (signer?.vouchedBy ?? []).some(({ list }) => list === OFFICIAL_LIST);
  const product = isOfficial ? (signer?.product ?? null) : null;
  return {
    answer,
    name,
    organisation,
    issuer,
    fingerprint,
    validFrom,
    validUntil,
    product: product?.name ?? '',
    assuranceLevel: product?.assuranceLevel ?? null,
    lists: answer === 'on_list' ? [...(signer?.vouchedBy ?? [])] : [],
  };
}

function signerAnswerOf(says: Says, signer: SignerFacts | null): SignerAnswer {
  if (says('signed_by', 'signature_fails')) return 'signature_fails';
  if (says('signed_by', 'revoked')) return 'revoked';
  if (says('signed_by', 'wrong_use')) return 'wrong_use';
  if (!says('signed_by', 'signed')) return 'unclear';
  // The reader takes all lists as one, so the list that vouches, and its right to vouch for signers, is found here.
  const isListed = says('signed_by', 'listed') && !says('signed_by', 'unlisted');
  return isListed && (signer?.vouchedBy.length ?? 0) > 0 ? 'on_list' : 'on_no_list';
}

function inTimeOf(says: Says, signer: SignerFacts | null, readAt: number): InTime {
  const { time: stampedAt = null, authority = '', vouchedBy = [] } = signer?.timeStamp ?? {};
  const isStamped = says('in_time', 'stamped') && !says('in_time', 'stamp_fails') && vouchedBy.length > 0;
  // Stamped after the certificate's end, which the reader calls expired.
  const isOutside = says('in_time', 'outside') || (isStamped && says('in_time', 'expired'));
  const stamped = isStamped ? 'stamped' : unstamped(says, signer, readAt);
  const answer = isOutside ? 'outside' : stamped;
  return { answer, stampedAt, authority, lists: isStamped ? [...vouchedBy] : [] };
}

/** The reader takes any stamp for claims of version 1: without a listed one the certificate's own time decides. */
function unstamped(says: Says, signer: SignerFacts | null, readAt: number): TimeAnswer {
  if (says('in_time', 'expired')) return 'expired';
  const { notBefore = null, notAfter = null } = signer ?? {};
  if (notBefore === null || notAfter === null) return 'unclear';
  return notBefore <= readAt && readAt <= notAfter ? 'valid_now' : 'expired';
}

function whoOf(says: Says, { identities }: ManifestFacts): Who {
  const names = identities.map(({ name, provider }) => (provider === '' ? name : `${name} (${provider})`));
  if (says('who', 'failed')) return { answer: 'failed', names };
  if (says('who', 'uncheckable')) return { answer: 'not_checkable', names };
  if (says('who', 'verified')) return { answer: 'verified', names };
  return { answer: identities.length === 0 ? 'nobody' : 'not_checkable', names };
}

function stateOf({ unchanged, signedBy, inTime, who, notes }: Omit<Readings, 'state'>): ReadingState {
  if (unchanged === 'changed' || signedBy.answer === 'signature_fails') return 'broken';
  const isBound = unchanged === 'yes' || unchanged === 'not_checkable';
  const isSigned = signedBy.answer === 'on_list' || signedBy.answer === 'on_no_list';
  if (!isBound || !isSigned || inTime.answer === 'outside') return 'doubtful';
  if (who.answer === 'failed' || notes.length > 0) return 'doubtful';
  const isInTime = inTime.answer === 'stamped' || inTime.answer === 'valid_now';
  return signedBy.answer === 'on_list' && isInTime ? 'trusted' : 'intact';
}

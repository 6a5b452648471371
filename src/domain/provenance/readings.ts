/**
 * A manifest read as a person means it: four plain answers in place of one state. Pure, from stored facts, by the one
 * table of codes. `broken` is said only if a binding or a signature fails: a certificate that ran out, a signer on
 * no list or a person who cannot be looked up says nothing against the file.
 */
import type { ManifestFacts, SignerFacts, StoreFacts, Voucher } from './manifest-facts.ts';
import { OFFICIAL_LIST } from './trust-list.ts';
import { type Answer, type Meaning, meaningOf } from './validation-codes.ts';

/** Whether the file is as it was signed. `not_checkable`: an ingredient, whose file is not here. */
export const UNCHANGED_ANSWERS = ['yes', 'changed', 'nothing_bound', 'not_checkable', 'unclear'] as const;
export type UnchangedAnswer = (typeof UNCHANGED_ANSWERS)[number];

export const SIGNER_ANSWERS = [
  ...(['on_list', 'on_no_list', 'revoked', 'wrong_use', 'signature_fails', 'unclear'] as const),
] as const;
export type SignerAnswer = (typeof SIGNER_ANSWERS)[number];

/**
 * `valid_now`: no stamp, and the certificate was valid when it was read. `expired`: it was not, and nothing shows when it was
 * signed.
 */
export const TIME_ANSWERS = ['stamped', 'valid_now', 'expired', 'outside', 'unclear'] as const;
export type TimeAnswer = (typeof TIME_ANSWERS)[number];

export const WHO_ANSWERS = ['nobody', 'verified', 'not_checkable', 'failed'] as const;
export type WhoAnswer = (typeof WHO_ANSWERS)[number];

/**
 * `trusted`: unchanged, signed by one on a list, in time. `intact`: nothing speaks against it, but one of these is not
 * shown. `broken`: a binding or a signature fails. `doubtful`: something else speaks against it (revoked, signed outside
 * the certificate's time, a rule not kept), or a code could not be judged.
 */
export const READING_STATES = ['trusted', 'intact', 'doubtful', 'broken'] as const;
export type ReadingState = (typeof READING_STATES)[number];

export interface Readings {
  state: ReadingState;
  unchanged: UnchangedAnswer;
  signedBy: SignedBy;
  inTime: InTime;
  who: Who;
  /** Codes that report a broken rule, that could not be judged, or that no table has. */
  notes: ReadingNote[];
}

export interface SignedBy {
  answer: SignerAnswer;
  /** The name in the certificate; empty if none could be read. */
  name: string;
  organisation: string;
  /** Who issued the certificate. */
  issuer: string;
  /** SHA-256 of the certificate, hex. */
  fingerprint: string;
  /** The product's name on the list of conforming products; empty if it is not there. */
  product: string;
  assuranceLevel: number | null;
  /** Lists that vouch for the signer. */
  lists: Voucher[];
  validFrom: number | null;
  validUntil: number | null;
}

export interface InTime {
  answer: TimeAnswer;
  /** The signing time by the time stamp; null without one. */
  stampedAt: number | null;
  authority: string;
  /** Lists that vouch for the authority of the time stamp. */
  lists: Voucher[];
}

export interface Who {
  answer: WhoAnswer;
  /** `name at provider`. */
  names: string[];
}

export interface ReadingNote {
  code: string;
  /** Whether no table has the code. */
  isUnknown: boolean;
  explanation: string;
}

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

/**
 * The reader takes any authority's stamp for claims of version 1: without a listed one, the certificate's own time decides.
 */
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

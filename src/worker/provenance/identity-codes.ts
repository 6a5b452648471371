/** Whether lists vouch for people whom identity assertions (CAWG) name: C2PA reader 0.90.1 asks no list for them. */
import type { X509Certificate } from 'node:crypto';
import type { CodeFact } from '../../domain/provenance/manifest-facts.ts';
import { serialOf, type Vouchers } from './vouchers.ts';

const OF_TRUST = /^(signingCredential|cawg\.identity|cawg\.x509\.credential)\.(un)?trusted$/;
/** The reader's code for an identity whose signature holds, by any certificate. */
const WELL_FORMED = 'cawg.identity.well-formed';
const TRUSTED = 'cawg.identity.trusted';
const UNTRUSTED = 'cawg.x509.credential.untrusted';

export interface SignedIdentities {
  /** A chain for each assertion that a certificate signs, its own first; empty if it cannot be read. */
  chains: readonly (readonly X509Certificate[])[];
  /** Certificates that the reader judged: serial numbers, in decimals. */
  serials: readonly string[];
  at: Date;
  /** Whether the reader's own code is among the codes: an ingredient may have what its writer recorded. */
  isJudged: boolean;
}

/** A certificate vouches only if the reader judged this very one, and its signature holds. */
export function withJudgedIdentities(
  codes: readonly CodeFact[],
  { chains, serials, at, isJudged }: SignedIdentities,
  vouchers: Vouchers,
): CodeFact[] {
  if (serials.length === 0) return [...codes];
  const own = chains.map(([first]) => (first === undefined ? '' : serialOf(first)));
  const isSame = own.toSorted().join() === serials.toSorted().join();
  const held = codes.find(({ code, kind }) => code === WELL_FORMED && kind === 'success');
  const isVouched =
    isJudged &&
    isSame &&
    held?.count === serials.length &&
    chains.every((chain) => vouchers.forPerson(chain, at).length > 0);
  const about = { count: serials.length, isAboutIdentity: true, explanation: '' };
  const word: CodeFact = isVouched
    ? { ...about, code: TRUSTED, kind: 'success' }
    : { ...about, code: UNTRUSTED, kind: 'informational' };
  const others = codes.filter(({ code, isAboutIdentity }) => !(isAboutIdentity && OF_TRUST.test(code)));
  return [...others.filter((code) => !isVouched || code !== held), word];
}

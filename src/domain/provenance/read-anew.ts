/** Merges a stored reading with a new one: only what lists judge is taken over, the rest stays as measured. Pure. */
import type { ManifestFacts, StoreFacts } from './manifest-facts.ts';
import type { Provenance } from './provenance.ts';
import type { ProvenanceRecord } from './provenance-record.ts';
import type { Readings } from './readings.ts';
import { type AnswerChange, RECHECKED_ANSWERS, type RecheckedAnswer } from './trust-recheck.ts';

/** Whether there is anything for lists to judge: a manifest that was read, or one that a reader refused. */
export function hasManifest({ store, c2pa, fault }: Provenance): boolean {
  return store !== undefined || c2pa !== null || fault !== null;
}

export function withNewReading(before: Provenance, now: Provenance): Provenance {
  const { store: _, ...kept } = before;
  const { store, fault } = now;
  const facts = store === undefined ? {} : { store: asFirstSeen(before.store, store) };
  return { ...kept, fault, hasReadFacts: true, ...facts };
}

const EXPIRED = 'signingCredential.expired';

/** Keeps the time of the first reading: a certificate that was valid then and ran out since proves no less than it did. */
function asFirstSeen(first: StoreFacts | undefined, now: StoreFacts): StoreFacts {
  if (first === undefined) return now;
  const { readAt } = first;
  return { ...now, readAt, manifests: now.manifests.map((facts) => judgedAt(facts, readAt)) };
}

function judgedAt(facts: ManifestFacts, readAt: number): ManifestFacts {
  const { notBefore = null, notAfter = null } = facts.signer ?? {};
  const wasValid = notBefore !== null && notAfter !== null && notBefore <= readAt && readAt <= notAfter;
  if (!wasValid) return facts;
  const codes = facts.codes.filter(({ code, isAboutIdentity }) => isAboutIdentity || code !== EXPIRED);
  return { ...facts, codes };
}

export interface ReadRecord {
  provenance: ProvenanceRecord | null;
  assessment: { state: string; strength: string } | null;
}

export function answersChanged(before: ReadRecord, after: ReadRecord): AnswerChange[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  return RECHECKED_ANSWERS.filter((answer) => old[answer] !== now[answer]).map((answer) => ({
    answer,
    before: old[answer],
    after: now[answer],
  }));
}

function wordsOf({ provenance, assessment }: ReadRecord): Record<RecheckedAnswer, string> {
  const readings: Partial<Readings> = provenance?.readings ?? {};
  const { state = '', unchanged = '', signedBy, inTime, who } = readings;
  const ingredients = (provenance?.manifests ?? []).filter(({ isActive }) => !isActive);
  return {
    state,
    unchanged,
    signed_by: signedBy?.answer ?? '',
    in_time: inTime?.answer ?? '',
    vouched_by: (signedBy?.lists ?? []).map(({ list }) => list).join(', '),
    who: who?.answer ?? '',
    ingredients: ingredients.map((manifest) => manifest.readings.state).join(', '),
    assessment: assessment === null ? '' : `${assessment.state} (${assessment.strength})`,
  };
}

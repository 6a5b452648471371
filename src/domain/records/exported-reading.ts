import {
  flag,
  idNumber,
  listOf,
  moment,
  noun,
  nullable,
  number,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import type { Assessment } from '../verdicts/assessment.ts';
import type { Verdict } from '../verdicts/heuristics.ts';
import type { AppliedRules } from '../verdicts/rules-version.ts';
import type { TimestampStatus } from './package-timestamps.ts';

/** The part of a record that readers act on. */
export interface ReadingOfFigures {
  rulesVersion: number;
  /** Human or artificial by the account's way of weighing; empty without an answer. */
  classification: string;
  /** State of the assessment: human, artificial, inconclusive, not_applicable. */
  state: string;
  /** Calibrated probability of an artificial origin; null without an answer. */
  probability: number | null;
}

export interface StoredExport extends ReadingOfFigures {
  /** Microseconds since 1970 UTC. */
  at: number;
  byAccountId: number;
  /** Fingerprint of the key that signed the package. */
  fingerprint: string;
  /** SHA-256 of the package's signed list of files, hex: names the package. */
  packageSha256: string;
}

/** All exports of a record that are shown, oldest first. */
export interface RecordExports {
  exports: StoredExport[];
}

/** As the record shows it. */
export const EXPORTED_READING = {
  at: moment(),
  byAccountId: idNumber(),
  rulesVersion: whole(),
  classification: text('human or artificial; empty where nothing could answer.'),
  state: text(
    'State of the assessment, as it was stated then: human, artificial, inconclusive, not_applicable.',
  ),
  probability: nullable(number()),
  fingerprint: text('Fingerprint of the key that signed the package.'),
  packageSha256: text('Hash of the signed list of the files of the package, hex.'),
  readsOtherwise: flag('Whether the record says something else now.'),
  timestamps: listOf(
    noun<TimestampStatus>(
      'TimestampStatus',
      'Timestamp authorities that were asked to stamp the package; empty where none were.',
    ),
  ),
};
export interface ExportedReading extends ValuesOf<typeof EXPORTED_READING> {}

/** A record that is exported daily must not grow forever. */
export const EXPORTS_KEPT_MAX = 50;
/** A change in the third digit is none to a reader. */
const PROBABILITY_TOLERANCE = 0.005;

/** The parts of a record that its finding follows from. */
interface Read {
  rules: AppliedRules | null;
  verdict: Verdict | null;
  assessment: Assessment | null;
}

/** Null before the analysis has ended, and if it ended without a result. */
export function readingOfRecord({ rules, verdict, assessment }: Read): ReadingOfFigures | null {
  if (rules === null) return null;
  return { rulesVersion: rules.read, ...toReading({ verdict, assessment }) };
}

export function toReading({
  verdict,
  assessment,
}: Pick<Read, 'verdict' | 'assessment'>): Omit<ReadingOfFigures, 'rulesVersion'> {
  const isSilent = verdict === null || verdict.models.length === 0;
  return {
    classification: isSilent ? '' : verdict.classification,
    state: assessment?.state ?? 'not_applicable',
    probability: assessment?.probability ?? null,
  };
}

/** Whether a reader would read something else. */
export function readsOtherwise(left: ReadingOfFigures, right: ReadingOfFigures): boolean {
  const isApart =
    left.probability === null || right.probability === null
      ? left.probability !== right.probability
      : Math.abs(left.probability - right.probability) > PROBABILITY_TOLERANCE;
  return isApart || left.state !== right.state || left.classification !== right.classification;
}

/** Past the bound the oldest is dropped whose reading a later one repeats, so that no reading is forgotten too early. */
export function withExport(before: RecordExports | undefined, made: StoredExport): RecordExports {
  const exports = [...(before?.exports ?? []), made];
  if (exports.length <= EXPORTS_KEPT_MAX) return { exports };
  const repeated = exports.findIndex((one, index) =>
    exports.slice(index + 1).some((later) => !readsOtherwise(one, later)),
  );
  return { exports: exports.toSpliced(Math.max(0, repeated), 1) };
}

/** One record of a package for programs: `record.json`, and `figures.json`, which a later version judges again. */
import { measureAudio, measureImage, measureVideo, type Reading } from '../domain/answers/measured.ts';
import type { ClassificationRecord } from '../domain/answers/record.ts';
import { type ReadingOfFigures, readingOfRecord, toReading } from '../domain/records/exported-reading.ts';
import type { FindingEntry, SignOff } from '../domain/records/sign-off.ts';
import { MICROSECONDS_PER_MS } from '../domain/time.ts';
import type { AnalysisResult } from '../domain/verdicts/result.ts';
import type { RecordCustody } from './custody-members.ts';

export interface EvidenceRecord {
  record: ClassificationRecord;
  /** Null if the analysis ended without a result. */
  result: AnalysisResult | null;
  reading: Reading;
  /** Corrections and other findings about the file by people, oldest first. */
  overrides: FindingEntry[];
  models: EvidenceModel[];
  /** Up to the signed head at the package's beginning. */
  custody: RecordCustody;
  /** Below the package's folder. */
  custodyMember: string;
  /** Below the package's folder; null if the file is no longer kept. */
  originalMember: string | null;
  /** A manifest outside the file; null if there is none, or none is kept. */
  manifestMember: { path: string; sha256: string } | null;
}

export interface EvidenceModel {
  id: string;
  version: string;
  name: string;
  task: string;
  /** SHA-256 of its weights; empty if this version is no longer installed. */
  sha256: string;
  licence: string;
  source: string;
  trainedOn: string;
  /** Error rates by quality, as its card has them. */
  figures: readonly unknown[];
  isInstalled: boolean;
  /** Below the package's folder; null if it has none. */
  cardMember: string | null;
}

/** Raised with every change of the two files' content. */
export const RECORD_FORMAT = 2;

export function toRecordJson(one: EvidenceRecord): object {
  const { record, overrides, models, originalMember, manifestMember } = one;
  const { progress: _, tentative: __, accountName: ___, createdAt, endedAt, signOff, ...rest } = record;
  return {
    format: RECORD_FORMAT,
    ...rest,
    createdAt: toIso(createdAt),
    endedAt: endedAt === null ? null : toIso(endedAt),
    signOff: signOffJson(signOff),
    original: {
      isIncluded: originalMember !== null,
      member: originalMember,
      note:
        originalMember === null
          ? 'The file is not kept on the box any more; its SHA-256 is the field hash.'
          : '',
    },
    manifest: manifestMember && { member: manifestMember.path, sha256: manifestMember.sha256 },
    findingsByPeople: overrides.map(
      ({ at, byAccountId, classification, reason, measured, signOff: given }) => ({
        at: toIso(at),
        byAccountId: String(byAccountId),
        classification,
        reason,
        measured,
        signOff: signOffJson(given),
      }),
    ),
    models: models.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
  };
}

/** Null if no sign-off was asked for, which is not an agreement. */
function signOffJson(signOff: SignOff | null): object | null {
  if (signOff === null) return null;
  const { state, classification, findingAt, askedAt, answers } = signOff;
  return {
    state,
    classification,
    findingAt: toIso(findingAt),
    askedAt: askedAt === null ? null : toIso(askedAt),
    answers: answers.map(({ at, byAccountId, agrees, reason }) => ({
      at: toIso(at),
      byAccountId: String(byAccountId),
      agrees,
      reason,
    })),
  };
}

export function toFiguresJson({ record, result, reading }: EvidenceRecord): object {
  return {
    format: RECORD_FORMAT,
    note: 'What was measured, and by which account rules it was read: a later version reads these same figures by its own rules.',
    rules: record.rules,
    read: readingOfRecord(record),
    reading,
    result,
  };
}

/** The same figures under the rules of this version. */
export function readFigures(
  result: AnalysisResult,
  reading: Reading,
  rulesVersion: number,
): ReadingOfFigures {
  return { rulesVersion, ...toReading(measure(result, reading)) };
}

function measure(result: AnalysisResult, reading: Reading) {
  if (result.kind === 'image') return measureImage(result, reading);
  return result.kind === 'audio' ? measureAudio(result, reading) : measureVideo(result, reading);
}

function toIso(microseconds: number): string {
  return new Date(microseconds / MICROSECONDS_PER_MS).toISOString();
}

/** Judges a package for a person: whether it is complete, what it found, and how this version judges the same figures. */

import type { Reading } from '../domain/answers/measured.ts';
import { type ReadingOfFigures, readsOtherwise } from '../domain/records/exported-reading.ts';
import { showText } from '../domain/shown-text.ts';
import type { AnalysisResult } from '../domain/verdicts/result.ts';
import { RULES_VERSION } from '../domain/verdicts/rules-version.ts';
import { parseJson, recordFoldersOf } from './check-members.ts';
import { type ContinuedLog, judgeContinuation } from './continued-log.ts';
import { readFigures } from './evidence-record.ts';
import { type JudgedTimestamp, judgeTimestamps } from './judge-timestamps.ts';
import { MEMBERS, RECORD_MEMBERS } from './members.ts';
import { type VerifyOrder, verifyPackage } from './verify-package.ts';
import type { Fault, ReadPackage } from './zip-reader.ts';

export interface JudgedRecord {
  identifier: string;
  name: string;
  /** The package's own finding; null if there was no result. */
  exported: ReadingOfFigures | null;
  /** The finding under this version's rules, only if a reader would understand it differently. */
  present: ReadingOfFigures | null;
}

export interface JudgedPackage {
  faults: Fault[];
  fingerprint: string | null;
  files: number;
  bytes: number;
  title: string;
  /** ISO 8601, or empty if it is not known. */
  createdAt: string;
  records: JudgedRecord[];
  /** Tokens (RFC 3161) over its signature; unreadable ones are among the faults. */
  timestamps: JudgedTimestamp[];
  /** Compared with an older package of the same box; null if none was given. */
  continuedLog: ContinuedLog | null;
}

export interface JudgeOrder extends VerifyOrder {
  /** PEM bundle that timestamp authorities must lead to; null or absent if none was given. */
  timestampRootsPem?: string | null;
  /** An older package of the same box, whose custody log this one must continue. */
  olderPath?: string | undefined;
}

/** Throws if the file cannot be read as a zip. */
export async function judgePackage(order: JudgeOrder): Promise<JudgedPackage> {
  const { faults, fingerprint, files, bytes, read } = await verifyPackage(order);
  const about = textsOf(read, MEMBERS.case) as { title?: unknown; createdAt?: unknown } | null;
  const records = recordFoldersOf(read)
    .sort()
    .flatMap((folder) => judgeRecord(read, folder) ?? []);
  const timestamps = await judgeTimestamps(read, order.timestampRootsPem ?? null);
  const { olderPath } = order;
  const continuedLog = olderPath === undefined ? null : await judgeContinuation(read, olderPath);
  return {
    faults,
    fingerprint,
    files,
    bytes,
    records,
    timestamps,
    continuedLog,
    title: showText(typeof about?.title === 'string' ? about.title : ''),
    createdAt: typeof about?.createdAt === 'string' ? showText(about.createdAt) : '',
  };
}

interface Figures {
  read: ReadingOfFigures | null;
  reading: Reading;
  result: AnalysisResult;
}

function judgeRecord(read: ReadPackage, folder: string): JudgedRecord | null {
  const record = textsOf(read, `${folder}${RECORD_MEMBERS.record}`) as {
    identifier?: unknown;
    name?: unknown;
  } | null;
  if (record === null) return null;
  const name = showText(String(record.name));
  const identifier = showText(String(record.identifier));
  const figuresMember = `${folder}${RECORD_MEMBERS.figures}`;
  const figures = textsOf(read, figuresMember) as Figures | null;
  if (figures === null) return { identifier, name, exported: null, present: null };
  const exported = figures.read;
  try {
    const present = readFigures(figures.result, figures.reading, RULES_VERSION);
    const isOther = exported === null || readsOtherwise(exported, present);
    return { identifier, name, exported, present: isOther ? present : null };
  } catch (error) {
    // Different figures of another version are no fault; changed ones are reported by their hash already.
    read.faults.push({ member: figuresMember, fault: `cannot be read by this version: ${String(error)}` });
    return { identifier, name, exported, present: null };
  }
}

function textsOf(read: ReadPackage, member: string): unknown {
  const text = read.texts.get(member);
  return text === undefined ? null : parseJson(text);
}

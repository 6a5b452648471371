/** Judges a package for a person: whether it is complete, what it found, and how this version judges the same figures. */

import type { Reading } from '../domain/answers/measured.ts';
import { type Checkpoint, parseCheckpoint } from '../domain/custody/checkpoint.ts';
import { holdsConsistency } from '../domain/custody/merkle-tree.ts';
import { type ReadingOfFigures, readsOtherwise } from '../domain/records/exported-reading.ts';
import { showText } from '../domain/shown-text.ts';
import type { AnalysisResult } from '../domain/verdicts/result.ts';
import { RULES_VERSION } from '../domain/verdicts/rules-version.ts';
import { parseJson, recordFoldersOf } from './check-members.ts';
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

/** `continued`: only added to; `not_continued`: changed, cut or another log; `not_shown`: the packages cannot show it. */
type Continuation = 'continued' | 'not_continued' | 'not_shown';

interface ContinuedLog {
  /** Entries under the older head; 0 if the older package has none. */
  earlierSize: number;
  size: number;
  continuation: Continuation;
  /** The result in words. */
  found: string;
}

/** A box lists only its newest heads, so an absent head does not prove a restore: ask the box itself. */
const OTHER_EPOCH =
  'the newer log is of another epoch and does not show the older head: the box was restored to a point before it, or it is another box; ' +
  'the box says which of the older checkpoint, assay custody verify --checkpoint';

/**
 * Checks that a box only added to its custody log between two of its packages: each holds a signed head of the log, and the
 * newer one the proof that its head continues the earlier ones (RFC 9162, section 2.1.4). `read` is the newer package.
 * Throws if the older one cannot be read as a zip.
 */
async function judgeContinuation(read: ReadPackage, olderPath: string): Promise<ContinuedLog> {
  const older = await verifyPackage({ path: olderPath, fingerprints: [] });
  const [earlier, head] = [newestHead(older.read), newestHead(read)];
  const sizes = { earlierSize: earlier?.head.size ?? 0, size: head?.head.size ?? 0 };
  const judged = (continuation: Continuation, found: string) => ({ ...sizes, continuation, found });
  const [fault] = older.faults;
  if (fault !== undefined)
    return judged('not_shown', `the older package is not whole: ${fault.member}: ${fault.fault}`);
  if (earlier === null || head === null)
    return judged('not_shown', 'one of them holds no head of a custody log');
  const isOtherEpoch = earlier.head.origin !== head.head.origin;
  const isLater = earlier.head.size > head.head.size;
  const proof = earlier.head.size === head.head.size ? [] : head.proofs.get(earlier.head.size);
  if (isOtherEpoch && (isLater || proof === undefined)) return judged('not_shown', OTHER_EPOCH);
  if (isLater) return judged('not_shown', 'its head is the later one: name the older package');
  if (proof === undefined) {
    const ask = `assay custody prove RECORD --since ${earlier.head.size}`;
    return judged('not_shown', `no proof from that head lies in this package: ask the box, ${ask}`);
  }
  const place = {
    from: earlier.head.size,
    to: head.head.size,
    fromRoot: earlier.head.root,
    toRoot: head.head.root,
  };
  return holdsConsistency({ ...place, proof })
    ? judged('continued', 'the log was only added to between the two')
    : judged(
        'not_continued',
        isOtherEpoch
          ? OTHER_EPOCH
          : 'the newer log does not continue the older one: it was changed, or is of another box',
      );
}

interface SignedHead {
  head: Checkpoint;
  /** By the size of an earlier head. */
  proofs: ReadonlyMap<number, Buffer[]>;
}

/** Records of a case are packed one after the other, each with the head at its time. */
function newestHead(read: ReadPackage): SignedHead | null {
  const heads = recordFoldersOf(read).flatMap((folder) => {
    const text = (name: string) => read.texts.get(`${folder}${name}`)?.toString('utf8') ?? '';
    const head = parseCheckpoint(text(RECORD_MEMBERS.checkpoint));
    return head === undefined ? [] : [{ head, proofs: proofsOf(text(RECORD_MEMBERS.proof)) }];
  });
  return heads.sort((one, other) => other.head.size - one.head.size)[0] ?? null;
}

function proofsOf(json: string): ReadonlyMap<number, Buffer[]> {
  const proof = parseJson(Buffer.from(json)) as {
    earlier?: { size: number; consistency: string[] }[];
  } | null;
  const earlier = Array.isArray(proof?.earlier) ? proof.earlier : [];
  return new Map(
    earlier.map(({ size, consistency }) => [size, consistency.map((hash) => Buffer.from(hash, 'base64'))]),
  );
}

/**
 * Checks that a box only added to its custody log between two of its packages: each holds a signed head of the log, and the
 * newer one the proof that its head continues the earlier ones (RFC 9162, section 2.1.4).
 */
import { type Checkpoint, parseCheckpoint } from '../domain/custody/checkpoint.ts';
import { holdsConsistency } from '../domain/custody/merkle-tree.ts';
import { parseJson, recordFoldersOf } from './check-members.ts';
import { RECORD_MEMBERS } from './members.ts';
import { verifyPackage } from './verify-package.ts';
import type { ReadPackage } from './zip-reader.ts';

/** `continued`: only added to; `not_continued`: changed, cut or another log; `not_shown`: the packages cannot show it. */
export type Continuation = 'continued' | 'not_continued' | 'not_shown';

export interface ContinuedLog {
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

/** `read` is the newer package. Throws if the older one cannot be read as a zip. */
export async function judgeContinuation(read: ReadPackage, olderPath: string): Promise<ContinuedLog> {
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

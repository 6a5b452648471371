/** The custody log in a package: a record's entries, the signed head, and proofs that each lies under it (RFC 9162). */
import { isSignedBy, parseCheckpoint } from '../domain/custody/checkpoint.ts';
import { holdsCommitment, parseEntry } from '../domain/custody/entry.ts';
import { holdsInclusion, leafHashOf } from '../domain/custody/merkle-tree.ts';
import { RECORD_MEMBERS } from './members.ts';
import type { ReadPackage } from './zip-reader.ts';

export interface ProvenEntry {
  sequence: number;
  /** Microseconds since 1970 UTC. */
  at: number;
  kind: string;
  accountId: number | null;
  /** Empty if it is gone. */
  accountName: string;
  facade: string;
  /** The line as chained: it holds the SHA-256 of the line before it in the log. */
  line: string;
  /** The details that the line commits to; empty if they were deleted or this reader may not see them. */
  detailsJson: string;
  /** Hex. */
  salt: string;
  /** From the leaf to the root, base64. */
  inclusion: readonly string[];
}

/** The custody of a record up to one signed head. */
export interface RecordCustody {
  /** A note in the C2SP checkpoint format. */
  checkpoint: string;
  /** Entries under it. */
  size: number;
  /** Oldest first. */
  entries: readonly ProvenEntry[];
  /** Earlier signed heads, each with the proof that this one continues it, base64. */
  earlier: readonly { size: number; consistency: readonly string[] }[];
}

const { custody: CUSTODY, checkpoint: CHECKPOINT, proof: PROOF } = RECORD_MEMBERS;

export function custodyMemberOf(folder: string): string {
  return `${folder}${CUSTODY}`;
}

/** Name below the record's folder, and text. */
export function toCustodyFiles({ checkpoint, size, entries, earlier }: RecordCustody): [string, string][] {
  const lines = entries.map(({ line, detailsJson, salt }) => JSON.stringify({ line, detailsJson, salt }));
  const proofs = entries.map(({ sequence, inclusion }) => ({ sequence, inclusion }));
  return [
    [CUSTODY, lines.map((line) => `${line}\n`).join('')],
    [CHECKPOINT, checkpoint],
    [PROOF, `${JSON.stringify({ format: 1, size, entries: proofs, earlier }, null, 2)}\n`],
  ];
}

interface Line {
  line: string;
  detailsJson: string;
  salt: string;
}

interface Proof {
  size: number;
  entries: { sequence: number; inclusion: string[] }[];
}

/** Reports every entry that does not lie under the signed head, or whose details differ from its commitment. */
export function checkCustodyFiles(read: ReadPackage, folder: string, rawPublicKey: Uint8Array): void {
  const text = (name: string) => read.texts.get(`${folder}${name}`)?.toString('utf8');
  const [lines, note, proof] = [text(CUSTODY), text(CHECKPOINT), text(PROOF)];
  // A missing one is reported already (required-members.ts).
  if (lines === undefined || note === undefined || proof === undefined) return;
  const fault = (name: string, found: string) =>
    read.faults.push({ member: `${folder}${name}`, fault: found });
  const head = parseCheckpoint(note);
  if (head === undefined) return void fault(CHECKPOINT, 'is no checkpoint');
  if (!isSignedBy(head, rawPublicKey)) return void fault(CHECKPOINT, 'is not signed by the key');
  const paths = parsePaths(proof, head.size);
  if (typeof paths === 'string') return void fault(PROOF, paths);
  for (const json of lines.split('\n').filter((line) => line !== '')) {
    const read = parseLine(json);
    const entry = read === null ? undefined : parseEntry(read.line);
    if (read === null || entry === undefined) return void fault(CUSTODY, 'holds a line that is no entry');
    const { line, detailsJson, salt } = read;
    const { sequence: index, commitment } = entry;
    const path = paths.get(index);
    const place = { index, size: head.size, leaf: leafHashOf(line), root: head.root };
    if (path === undefined || !holdsInclusion({ ...place, proof: path })) {
      fault(PROOF, `does not show that entry ${index} of ${CUSTODY} lies under the signed head`);
    }
    paths.delete(index);
    if (detailsJson !== '' && !holdsCommitment(commitment, detailsJson, Buffer.from(salt, 'hex'))) {
      fault(CUSTODY, `entry ${index} commits to other details`);
    }
  }
  const [unused] = paths.keys();
  if (unused !== undefined) fault(CUSTODY, `lacks entry ${unused}, which ${PROOF} speaks of`);
}

/** By sequence; the fault in words if a proof does not fit a head of that size. */
function parsePaths(json: string, headSize: number): Map<number, Buffer[]> | string {
  try {
    const { size, entries } = JSON.parse(json) as Proof;
    if (size !== headSize) return `is of ${size} entries, ${CHECKPOINT} of ${headSize}`;
    return new Map(
      entries.map(({ sequence, inclusion }) => [
        sequence,
        inclusion.map((hash) => Buffer.from(hash, 'base64')),
      ]),
    );
  } catch {
    return 'cannot be read';
  }
}

function parseLine(json: string): Line | null {
  try {
    const { line, detailsJson, salt } = JSON.parse(json) as Line;
    const isWhole = [line, detailsJson, salt].every((text) => typeof text === 'string');
    return isWhole ? { line, detailsJson, salt } : null;
  } catch {
    return null;
  }
}

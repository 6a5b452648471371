/** Judges whether a signed head that somebody brings is of this log: the signed one, a continuation, or another. */
import type { JudgedCheckpoint } from '../../domain/contract/custody.ts';
import {
  isSignedBy,
  originOf,
  parseCheckpoint,
  type SignedCheckpoint,
} from '../../domain/custody/checkpoint.ts';
import { readRoot } from '../../domain/custody/merkle-tree.ts';
import { badField } from '../../domain/errors.ts';
import { formatTime } from '../../domain/time.ts';
import { EPOCH_SUBJECT } from '../../store/custody/reindex.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { CustodyParts } from './parts.ts';

/** Administrators only. Throws on a text that is no such note. */
export function judgeCheckpoint(
  app: CustodyParts,
  { principal, checkpoint }: { principal: Principal; checkpoint: string },
): JudgedCheckpoint {
  assertAdmin(principal);
  const read = parseCheckpoint(checkpoint);
  if (read === undefined)
    throw badField('checkpoint', 'expected a C2SP checkpoint: origin, size, root, signatures');
  return judge(app, read);
}

function judge({ store, signingKeys }: CustodyParts, read: SignedCheckpoint): JudgedCheckpoint {
  const { origin, size, root } = read;
  const { custody } = store.read;
  if (!signingKeys.published().some(({ rawPublicKey }) => isSignedBy(read, rawPublicKey))) {
    return { finding: 'foreign', reason: 'no key of this box has signed it' };
  }
  // Newest first, so each epoch ends where the one before it in the list begins.
  let end = custody.size;
  const [newest] = custody.sequencesOf([EPOCH_SUBJECT]);
  for (const sequence of custody.sequencesOf([EPOCH_SUBJECT])) {
    const row = custody.row(sequence);
    if (row === undefined) continue;
    if (originOf(row.subject) === origin) {
      if (size <= end) return judgeRoot(custody.subtree, size, root);
      if (sequence !== newest) {
        const reason = `it signs ${size} entries, the log had ${end} when the box was restored or copied`;
        return { finding: 'after_restored_point', reason };
      }
      const lost = `it signs ${size} entries of this epoch, this log has ${end}`;
      return {
        finding: 'rolled_back',
        reason: `${lost}: its end was taken away, or an older state put in its place without a restore`,
      };
    }
    end = sequence;
  }
  const [current] = custody.rowsOf([EPOCH_SUBJECT], { limit: 1 });
  const at = current === undefined ? '' : `; this epoch began ${formatTime(current.at)}`;
  const reason = `a key of this box signed it in an epoch that this log does not hold: of a copy, or of a stretch that a restore lost${at}`;
  return { finding: 'unknown_epoch', reason };
}

function judgeRoot(subtree: Parameters<typeof readRoot>[1], size: number, root: Buffer): JudgedCheckpoint {
  if (readRoot(size, subtree).equals(root))
    return { finding: 'held', reason: `the first ${size} entries are those that it signs` };
  return {
    finding: 'other_log',
    reason: `the first ${size} entries are not those that it signs: one of the two was changed`,
  };
}

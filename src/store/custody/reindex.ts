/** The subjects of an entry, as far as the entry itself names them, to make an index anew. */
import { AUDIT_SUBJECT, accessSubjectOf, fileSubject } from '../tables/stored-custody.ts';
import type { CustodyRow } from './custody-reader.ts';

/** Index key under which a search for all entries of these kinds finds them. */
export const EPOCH_SUBJECT = 'epoch';
export const SEGMENT_SUBJECT = 'segment';
export const KEY_SUBJECT = 'signing-key';

const SUBJECTS_OF_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    epoch_opened: EPOCH_SUBJECT,
    segment_opened: SEGMENT_SUBJECT,
    key_made: KEY_SUBJECT,
    key_rotated: KEY_SUBJECT,
  }),
);

/** Entries name no records that shared an analysis: these find it by the analysis that they name. */
export function subjectsOfEntry({ kind, subject, actor, details }: CustodyRow): string[] {
  const subjects = [subject, SUBJECTS_OF_KINDS.get(kind) ?? ''];
  // Only lines of the audit log name a target.
  if (details?.target !== undefined) subjects.push(AUDIT_SUBJECT);
  if (details?.target !== undefined) {
    // An audit line from before the chain has its action in the details.
    const action = kind === 'taken_over' ? String(details.what?.action) : kind;
    subjects.push(accessSubjectOf(action, details.target, details.details));
  }
  const { kind: media, hash, deskId } = details?.what ?? {};
  if (kind.startsWith('overrid') && actor !== null && typeof media === 'string' && typeof hash === 'string') {
    const held = typeof deskId === 'number' ? { accountId: actor, deskId } : { accountId: actor };
    subjects.push(fileSubject({ ...held, kind: media, hash }));
  }
  return subjects.filter((name) => name !== '');
}

/** What lstat(2) says of a plain file, and whether it may be another file than before. */

export interface FileLook {
  sizeBytes: number;
  /** Nanoseconds since 1970 as text. */
  modifiedNs: string;
  /** When anything of the file changed last: unlike `modifiedNs` no program can set it. Absent if it is not known. */
  changedNs?: string | undefined;
  inode?: string | undefined;
}

export function toLook({ size, mtimeNs, ctimeNs, ino }: LookNumbers): Required<FileLook> {
  return {
    sizeBytes: Number(size),
    modifiedNs: String(mtimeNs),
    changedNs: String(ctimeNs),
    inode: String(ino),
  };
}

type LookNumbers = Record<'size' | 'mtimeNs' | 'ctimeNs' | 'ino', bigint>;

export function lookOf({ sizeBytes, modifiedNs, changedNs, inode }: FileLook): FileLook {
  return { sizeBytes, modifiedNs, changedNs, inode };
}

/** `touched`: size and time are the same, something else is not (name, mode, or another file); only content shows which. */
export type LookChange = 'none' | 'touched' | 'other';

export function changeSince(before: FileLook, now: FileLook): LookChange {
  if (before.sizeBytes !== now.sizeBytes || before.modifiedNs !== now.modifiedNs) return 'other';
  const isKept = isUnlessUnknown(before.changedNs, now.changedNs) && isUnlessUnknown(before.inode, now.inode);
  return isKept ? 'none' : 'touched';
}

function isUnlessUnknown(before: string | undefined, now: string | undefined): boolean {
  return before === undefined || now === undefined || before === now;
}

export const isSameLook = (left: FileLook, right: FileLook): boolean => changeSince(left, right) === 'none';

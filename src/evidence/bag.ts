/** The text files of a bag (RFC 8493), written and read. */

export interface BagEntry {
  /** Below the bag's own folder, with `/`. */
  path: string;
  /** SHA-256, 64 hex characters. */
  sha256: string;
  sizeBytes: number;
}

export const BAGIT = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
/** Longest line of bag-info.txt that old readers accept (RFC 8493, 2.2.2); a longer value continues in the next line. */
const INFO_CHARACTERS_MAX = 79;

/** Two spaces, as `sha256sum` writes and reads it. */
export function toManifest(entries: readonly Pick<BagEntry, 'path' | 'sha256'>[]): string {
  return entries.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

/** By path; null if a line is malformed or a path stands twice. */
export function parseManifest(text: string): Map<string, string> | null {
  const entries = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, sha256 = '', path = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (path === '' || entries.has(path)) return null;
    entries.set(path, sha256);
  }
  return entries;
}

/** Line breaks in values are removed: a title must not add a field. */
export function toBagInfo(fields: readonly (readonly [string, string])[]): string {
  return fields
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `${fold(`${label}: ${value.replace(/\s+/g, ' ').trim()}`)}\n`)
    .join('');
}

/** Breaks at spaces; continuation lines are indented. */
function fold(line: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > INFO_CHARACTERS_MAX) {
      lines.push(current);
      current = `  ${word}`;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current].join('\n');
}

/** `Payload-Oxum`: bytes and number of the files below `data/`. */
export function oxumOf(payload: readonly BagEntry[]): string {
  return `${payload.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)}.${payload.length}`;
}

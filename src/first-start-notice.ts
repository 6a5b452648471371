/** What the operator reads at the first start: on a terminal with the secrets, in a journal with the ways to them. */
import type { Stats } from 'node:fs';

export interface FirstStartFacts {
  /** Null if a setting gave it: then it is known, and a log would be one more place where it lies. */
  key: string | null;
  url: string;
  /** Null if a setting gave the password. */
  passwordLink: string | null;
  /** Where the key lies. */
  keyFile: string;
  adminEmail: string;
  /** Whether what is written is kept, and read by others than the data folder's owner. */
  isJournal: boolean;
}

/** As systemd.exec(5) says it: `JOURNAL_STREAM` names device and inode of the stream, which a child's pipe does not have. */
export function isJournalStream(
  journalStream: string | undefined,
  { dev, ino }: Pick<Stats, 'dev' | 'ino'>,
): boolean {
  return journalStream === `${dev}:${ino}`;
}

export function firstStartNotice({
  key,
  url,
  passwordLink,
  keyFile,
  adminEmail,
  isJournal,
}: FirstStartFacts): string {
  const shown = isJournal ? `in ${keyFile}` : `(shown once): ${key}`;
  const link = isJournal
    ? `: 'sudo assay user reset ${adminEmail}' prints a link`
    : ` (once, within 24 hours): ${passwordLink}`;
  return (
    `First start: the plan 'appliance' and the administrator were made.\n` +
    `  API key ${key === null ? 'as set by admin.api_key' : shown}\n` +
    `  Open: ${url}/\n` +
    (passwordLink === null ? '' : `  Set the administrator's password${link}\n`) +
    // Said once, before anybody leans on them; docs/models.md has the figures.
    '  The models that come with Assay are weak evidence: of 100 generated pictures they find 34 to 50, and they accuse up\n' +
    "  to 8 of 100 photographs. 'assay models add sieve' adds a stronger open one; 'assay models catalogue' shows them all\n"
  );
}

/** What the operator reads at the first start: on a terminal with the secrets, anywhere else with the ways to them. */
import { describeOutside, figuresOf } from './domain/packs/measured-figures.ts';
import type { ModelPack } from './domain/packs/model-pack.ts';

export interface FirstStartFacts {
  /** Null if a setting gave it: the operator has it then, and the log must not. */
  key: string | null;
  url: string;
  /** Null if a setting gave the password. */
  passwordLink: string | null;
  keyFile: string;
  adminEmail: string;
  /** The folder of mails that are not sent, because no server is set; null if one is. */
  mailFolder: string | null;
  /** Output that is no terminal is kept (journal, container log) and read by others than the data folder's owner. */
  isTerminal: boolean;
}

export function firstStartNotice({
  key,
  url,
  passwordLink,
  keyFile,
  adminEmail,
  mailFolder,
  isTerminal,
}: FirstStartFacts): string {
  const shown = isTerminal ? `(shown once): ${key}` : `in ${keyFile}`;
  const link = isTerminal
    ? ` (once, within 24 hours): ${passwordLink}`
    : `: 'assay user reset ${adminEmail}' prints a link, as root or as the daemon's user`;
  return (
    `First start: the plan 'appliance' and the administrator were made.\n` +
    `  API key ${key === null ? 'as set by admin.api_key' : shown}\n` +
    `  Open: ${url}/\n` +
    (passwordLink === null ? '' : `  Set the administrator's password${link}\n`) +
    (mailFolder === null
      ? ''
      : `  No mail server is set: mail is not sent and lies in ${mailFolder} ('assay config explain mail.smtp_url')\n`)
  );
}

/** Says once how weak the models are, before anybody relies on them. */
export function modelsNotice(packs: readonly ModelPack[]): string {
  const errors = packs.flatMap((pack) => {
    const measured = describeOutside(figuresOf(pack));
    return measured === '' ? [] : [`    ${pack.name}: ${measured}\n`];
  });
  return (
    (errors.length === 0
      ? '  The installed models state no measured error rates\n'
      : `  The models that come with Assay are weak evidence:\n${errors.join('')}`) +
    "  'assay models add sieve' adds a stronger open one; 'assay models catalogue' shows them all\n"
  );
}

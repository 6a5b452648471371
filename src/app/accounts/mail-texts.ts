/** Every mail of Assay, in each language. Plain text: it is readable on any screen and hides no link. */
import type { Account } from '../../domain/accounts/account.ts';
import { showText } from '../../domain/shown-text.ts';
import type { IssuedToken } from '../callers/tokens.ts';
import type { Mail, MailLanguage } from './mail.ts';
import type { AccountParts } from './parts.ts';

type Kind = 'set_password' | 'reset_password' | 'verify_email' | 'already_registered';

/** `until` is when the link expires. */
interface Filling {
  name: string;
  link: string;
  until: string;
}

interface Text {
  subject: string;
  body: (filling: Filling) => string;
}

const TEXTS: Readonly<Record<MailLanguage, Readonly<Record<Kind, Text>>>> = {
  en: {
    set_password: {
      subject: 'Your Assay account',
      body: ({ name, link, until }) =>
        `Hello ${name},\n\nan account was made for you on Assay. Open this link to choose your password and start:\n\n${link}\n\nIt works once, until ${until}.\n`,
    },
    reset_password: {
      subject: 'Reset your Assay password',
      body: ({ name, link, until }) =>
        `Hello ${name},\n\nopen this link to choose a new password:\n\n${link}\n\nIt works once, until ${until}. If you did not ask for it, do nothing: your password stays as it is.\n`,
    },
    verify_email: {
      subject: 'Confirm your e-mail address',
      body: ({ name, link, until }) =>
        `Hello ${name},\n\nopen this link to confirm that this address is yours, and enter the password of the account:\n\n${link}\n\nIt works once, until ${until}. If you did not register with Assay, do nothing: somebody else chose the password.\n`,
    },
    already_registered: {
      subject: 'You have an Assay account already',
      body: ({ name, link, until }) =>
        `Hello ${name},\n\nsomebody tried to register this address, which has an account already. If it was you and you forgot the password, this link sets a new one:\n\n${link}\n\nIt works once, until ${until}. Otherwise do nothing.\n`,
    },
  },
  it: {
    set_password: {
      subject: 'Il tuo account Assay',
      body: ({ name, link, until }) =>
        `Ciao ${name},\n\nè stato creato un account per te su Assay. Apri questo link per scegliere la password e iniziare:\n\n${link}\n\nFunziona una sola volta, fino al ${until}.\n`,
    },
    reset_password: {
      subject: 'Reimposta la tua password di Assay',
      body: ({ name, link, until }) =>
        `Ciao ${name},\n\napri questo link per scegliere una nuova password:\n\n${link}\n\nFunziona una sola volta, fino al ${until}. Se non l'hai chiesto tu, ignora questo messaggio: la password resta quella di prima.\n`,
    },
    verify_email: {
      subject: 'Conferma il tuo indirizzo e-mail',
      body: ({ name, link, until }) =>
        `Ciao ${name},\n\napri questo link per confermare che questo indirizzo è tuo, e inserisci la password dell'account:\n\n${link}\n\nFunziona una sola volta, fino al ${until}. Se non ti sei registrato su Assay, ignora questo messaggio: la password l'ha scelta qualcun altro.\n`,
    },
    already_registered: {
      subject: 'Hai già un account Assay',
      body: ({ name, link, until }) =>
        `Ciao ${name},\n\nqualcuno ha provato a registrare questo indirizzo, che ha già un account. Se sei stato tu e hai dimenticato la password, questo link ne imposta una nuova:\n\n${link}\n\nFunziona una sola volta, fino al ${until}. Altrimenti ignora questo messaggio.\n`,
    },
  },
};

type Writer = Pick<AccountParts, 'mailer' | 'config'>;
type Recipient = Pick<Account, 'name' | 'email'>;

export function passwordLink(app: Pick<AccountParts, 'config'>, token: string): string {
  return `${app.config.publicUrl}/set-password?token=${token}`;
}

export function passwordMail(
  app: Writer,
  to: Recipient,
  issued: IssuedToken,
  kind: Exclude<Kind, 'verify_email'>,
): Mail {
  return write(app, to, kind, passwordLink(app, issued.token), issued.expiresAt);
}

export function verifyMail(app: Writer, to: Recipient, { token, expiresAt }: IssuedToken): Mail {
  return write(app, to, 'verify_email', `${app.config.publicUrl}/verify-email?token=${token}`, expiresAt);
}

function write({ mailer }: Writer, to: Recipient, kind: Kind, link: string, expiresAt: number): Mail {
  const { subject, body } = TEXTS[mailer.language][kind];
  const name = showText(to.name);
  return {
    to: { name, address: to.email },
    subject,
    text: body({ name, link, until: formatMoment(expiresAt, mailer.language) }),
  };
}

/** States UTC, since the box does not know where the reader is. */
function formatMoment(microseconds: number, language: MailLanguage): string {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'it-IT', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(microseconds / 1000)} UTC`;
}

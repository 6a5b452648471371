/** The settings of accounts: the administrator's, who may register, and how mail goes out. */
import { MAIL_LANGUAGES } from '../app/accounts/mail.ts';
import { boolean, integer, oneOf, secret, text } from './parsers.ts';
import type { Secret } from './secret.ts';
import { optional, row, withExample } from './setting-row.ts';

export const ACCOUNT_SETTINGS = {
  adminEmail: row(
    'admin.email',
    text('an e-mail address', /^[^\s@]{1,64}@[^\s@]{1,190}$/),
    'admin@localhost',
    'The admin account that the first start makes.',
  ),
  adminPassword: optional<Secret>(
    'admin.password',
    secret('12 to 256 characters', /^[^\0]{12,256}$/),
    'Its password. Without it the first start prints a link that sets one.',
  ),
  adminApiKey: optional<Secret>(
    'admin.api_key',
    secret('8 to 256 printable ASCII characters without spaces', /^[\x21-\x7e]{8,256}$/),
    'The admin’s API key. Without it the first start makes one, in `admin.key` of the data folder.',
    'a random key',
  ),
  registrationOpen: row(
    'registration.open',
    boolean(),
    false,
    'Whether anybody who reaches the box may make an account with a verified e-mail address.',
  ),
  registrationPlan: row(
    'registration.plan',
    text('the sku of a plan', /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
    'appliance',
    'The plan of accounts that registered themselves.',
  ),
  registrationCredits: row(
    'registration.credits',
    integer(0, 1_000_000_000),
    0,
    'Credits that such an account starts with.',
  ),
  mailSmtpUrl: withExample(
    optional<Secret>(
      'mail.smtp_url',
      secret('smtp://user:password@host:587 or smtps://…', /^smtps?:\/\/[^\s/][^\s]{0,1000}$/),
      'The mail server; `?requireTLS=true` insists on TLS. Without it mails are files in `mail/` of the data folder.',
    ),
    '"smtp://user:password@mail.example.org:587"',
  ),
  mailFrom: row(
    'mail.from',
    text(
      'an address like Assay <assay@example.org>',
      /^(?:[^<>\p{Cc}]{1,100} )?<?[^\s@<>]{1,64}@[^\s@<>]{1,190}>?$/u,
    ),
    'Assay <assay@localhost>',
    'The sender of mails.',
  ),
  mailLanguage: row('mail.language', oneOf(MAIL_LANGUAGES), 'en', 'The language of mails.'),
} as const;

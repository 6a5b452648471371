/**
 * Mail: by SMTP if the operator set a server up, else as `.eml` files in the data folder that a person can read
 * and hand on. What is written in it is mail-texts.ts.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';

export const MAIL_LANGUAGES = ['en', 'it'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export interface MailConfig {
  /** `smtp://` or `smtps://` with credentials and nodemailer's options, or null: files. */
  smtpUrl: string | null;
  /** The sender, as `Name <address>`. */
  from: string;
  language: MailLanguage;
  /** Where the files go; 0700, each of them 0600: they hold links that open accounts. */
  folder: string;
  /** Waits before a posted mail is tried again, ms; the last failure is logged. */
  retryDelaysMs: readonly number[];
}

export interface Mail {
  to: { name: string; address: string };
  subject: string;
  text: string;
}

export const MAIL_RETRY_DELAYS_MS = [5_000, 60_000, 600_000] as const;

/** Files that no one fetched: the oldest go, or a forgotten folder would fill the disk. */
const MAIL_FILES_MAX = 1000;
/** Mails that wait for a server that is away; each is a few hundred bytes, their links are of use for a day. */
const POSTED_MAX = 200;
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 2_000;

type Deliver = (mail: Mail) => Promise<void>;

export class Mailer implements AsyncDisposable {
  readonly language: MailLanguage;
  readonly #config: MailConfig;
  readonly #log: Logger;
  readonly #deliver: Deliver;
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  constructor(config: MailConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.language = config.language;
    this.#deliver = config.smtpUrl === null ? fileDelivery(config) : smtpDelivery(config, config.smtpUrl);
  }

  /** Resolves once the server or the disk has taken it; throws `mail`. */
  async send(mail: Mail): Promise<void> {
    try {
      await this.#deliver(mail);
    } catch (error) {
      this.#log.error({ err: error }, 'a mail could not be sent');
      throw new AppError('mail', 'the mail could not be sent; the log of the appliance says why', {
        cause: error,
      });
    }
  }

  /** Sends it behind the caller's back, tried again after a while; for answers whose time must not reveal anything. */
  post(mail: Mail): void {
    this.later(() => this.#sendPatiently(mail));
  }

  /** Work that ends in a mail and must not delay the answer; past the bound it is dropped, and the log says so. */
  later(work: () => Promise<void>): void {
    if (this.#pending.size >= POSTED_MAX) {
      this.#log.error({ waiting: POSTED_MAX }, 'a mail was dropped: too many wait for the mail server');
      return;
    }
    const running = Promise.resolve()
      .then(work)
      .catch((error: unknown) => this.#log.error({ err: error }, 'a mail could not be prepared'))
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }

  /** Resolves once nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Mails between two tries are given up: their links can be asked for again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.race([this.settled(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #sendPatiently(mail: Mail): Promise<void> {
    for (const waitMs of [...this.#config.retryDelaysMs, null]) {
      try {
        await this.#deliver(mail);
        return;
      } catch (error) {
        this.#log[waitMs === null ? 'error' : 'warn'](
          { err: error, retryInMs: waitMs },
          'a mail was not taken',
        );
      }
      if (waitMs === null || !(await this.#wait(waitMs))) return;
    }
  }

  async #wait(milliseconds: number): Promise<boolean> {
    try {
      await delay(milliseconds, undefined, { signal: this.#closing.signal, ref: false });
      return true;
    } catch {
      return false;
    }
  }
}

/** No file and no address is ever read into a mail: its texts hold what users wrote. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;

function smtpDelivery({ from }: MailConfig, url: string): Deliver {
  return async (mail) => {
    const transport = createTransport({
      url,
      ...CLOSED,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
    });
    try {
      await transport.sendMail({ from, ...mail });
    } finally {
      transport.close();
    }
  };
}

function fileDelivery({ from, folder }: MailConfig): Deliver {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix', ...CLOSED });
  return async (mail) => {
    const { message } = await transport.sendMail({ from, ...mail });
    if (!Buffer.isBuffer(message)) throw new Error('the mail was not built in memory');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The time leads, so that names sort by age; the rest keeps two of one moment apart.
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const name = `${stamp}-${randomBytes(4).toString('hex')}.eml`;
    await writeFile(join(folder, name), message, { flag: 'wx', mode: 0o600 });
    await removeOldest(folder);
  };
}

async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of files.slice(0, Math.max(0, files.length - MAIL_FILES_MAX))) {
    await rm(join(folder, name), { force: true });
  }
}

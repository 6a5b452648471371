/** Mail: by SMTP if a server is set, else as `.eml` files in the data folder that a person can hand on. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport, type Transporter } from 'nodemailer';
import type { Logger } from 'pino';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';

export const MAIL_LANGUAGES = ['en', 'it'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export interface MailConfig {
  /** `smtp://` or `smtps://` with credentials and nodemailer's options, or null: files. */
  smtpUrl: string | null;
  /** The sender, as `Name <address>`. */
  from: string;
  language: MailLanguage;
  /** Folder of the files; 0700, each of them 0600, since they hold links that open accounts. */
  folder: string;
  /** Pauses before a posted mail is retried, ms; the last failure is logged. */
  retryDelaysMs: readonly number[];
}

export interface Mail {
  to: { name: string; address: string };
  subject: string;
  text: string;
}

export const MAIL_RETRY_DELAYS_MS = [5_000, 60_000, 600_000] as const;

/** Bound on unfetched files: the oldest go, or a forgotten folder would fill the disk. */
const MAIL_FILES_MAX = 1000;
/** Mails that wait for a server that is away; each is a few hundred bytes, and their links are valid for a day. */
const POSTED_MAX = 200;
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** Resolves with the file of the mail; null if a server has taken it. */
type Deliver = (mail: Mail) => Promise<string | null>;

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

  /** The folder of mails without a server; null if one is set. */
  get folder(): string | null {
    return this.#config.smtpUrl === null ? this.#config.folder : null;
  }

  /** Whether the server answers and accepts the login; throws its answer. Does nothing without a server. */
  async verify(): Promise<void> {
    if (this.#config.smtpUrl !== null) await withTransport(this.#config.smtpUrl, (server) => server.verify());
  }

  /** Tried once, after the start, so that the log says whether mail will go out. */
  tryServer(): void {
    if (this.folder !== null) return;
    this.later(async () => {
      try {
        await this.verify();
        this.#log.info('the mail server answers');
      } catch (error) {
        this.#log.error({ err: error }, 'the mail server refuses: no mail will be sent');
      }
    });
  }

  /** Resolves once the server or the disk has taken it, with its file if no server is set; throws `mail`. */
  async send(mail: Mail): Promise<string | null> {
    try {
      return await this.#deliver(mail);
    } catch (error) {
      this.#log.error({ err: error }, 'a mail could not be sent');
      throw new AppError('mail', 'the mail could not be sent; the log of the appliance says why', {
        cause: error,
      });
    }
  }

  /** Sends it after the answer, with retries, for answers whose time must not reveal anything. */
  post(mail: Mail): void {
    this.later(() => this.#sendPatiently(mail));
  }

  /** Work that ends in a mail and must not delay the answer; past the bound it is dropped, and logged. */
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

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Mails between two tries are dropped: their links can be requested again. */
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

/** Mails never include files or addresses: their texts hold users' input. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true } as const;

function smtpDelivery({ from }: MailConfig, url: string): Deliver {
  return async (mail) => {
    await withTransport(url, (server) => server.sendMail({ from, ...mail }));
    return null;
  };
}

async function withTransport(url: string, use: (server: Transporter) => Promise<unknown>): Promise<void> {
  const transport = createTransport({
    url,
    ...CLOSED,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
  try {
    await use(transport);
  } finally {
    transport.close();
  }
}

function fileDelivery({ from, folder }: MailConfig): Deliver {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix', ...CLOSED });
  return async (mail) => {
    const { message } = await transport.sendMail({ from, ...mail });
    if (!Buffer.isBuffer(message)) throw new Error('the mail was not built in memory');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The time comes first, so that names sort by age; the rest distinguishes two of one moment.
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const name = `${stamp}-${randomBytes(4).toString('hex')}.eml`;
    const path = join(folder, name);
    await writeFile(path, message, { flag: 'wx', mode: 0o600 });
    await removeOldest(folder);
    return path;
  };
}

async function removeOldest(folder: string): Promise<void> {
  const files = await listMails(folder);
  for (const name of files.slice(0, Math.max(0, files.length - MAIL_FILES_MAX))) {
    await rm(join(folder, name), { force: true });
  }
}

/** Oldest first. */
export async function listMails(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.eml')).sort();
}

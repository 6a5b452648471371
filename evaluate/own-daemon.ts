/**
 * A daemon of an evaluation's own: its packs, a temporary data folder, free ports. It runs nothing that is shipped, and
 * nothing of it stays.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../src/cli/daemon/client.ts';
import { type PackFolder, readPackFolders } from './pack-identity.ts';

const ENTRY = join(import.meta.dirname, 'own-daemon-process.ts');
const BUILT_IN_MODELS = resolve(import.meta.dirname, '../models');
/** The daemon brings it itself, from its own folder only. */
export const DETECTOR_TASK = 'voice-activity';
/** Used from the program's own folder only, and no evaluation of verdicts asks for it. */
const TRANSCRIPTION_TASK = 'transcription';
const READY_LINE = /assay ready http=(\S+) grpc=(\S+)$/;
/** Models are made and tried at a first start; on a busy box that takes minutes. */
const READY_MS_MAX = 600_000;
const POLL_MS = 200;
/** It finishes what runs, then closes; after that it is killed. */
const STOP_MS_MAX = 120_000;
/** Of what it said last, for the sentence of a failure. */
const LINES_MAX = 20;

/** What the daemon takes from the caller's environment: how it computes, never where it stores or listens. */
const PASSED_ON = /^(PATH|HOME|TMPDIR|LD_LIBRARY_PATH|ASSAY_(INFERENCE|ACCELERATOR|DECODE|ANALYSIS)_\w+)$/;

export class OwnDaemonError extends Error {
  override readonly name = 'OwnDaemonError';
}

/** The packs in place of the shipped ones of their tasks, beside the shipped ones of all others. */
export async function standInFor(packs: readonly PackFolder[]): Promise<PackFolder[]> {
  const tasks = new Set([DETECTOR_TASK, TRANSCRIPTION_TASK, ...packs.map(({ task }) => task)]);
  const shipped = await readPackFolders(BUILT_IN_MODELS);
  return [...packs, ...shipped.filter(({ task }) => !tasks.has(task))];
}

export class OwnDaemon implements AsyncDisposable {
  readonly client: AssayClient;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(client: AssayClient, child: ChildProcess, folder: string) {
    this.client = client;
    this.#child = child;
    this.#folder = folder;
  }

  /** Resolves when its models are loaded. Throws an OwnDaemonError, or the reason of the signal. */
  static async start(packs: readonly PackFolder[], signal: AbortSignal): Promise<OwnDaemon> {
    const folder = await mkdtemp(join(tmpdir(), 'assay-evaluate-'));
    try {
      const models = join(folder, 'models');
      await mkdir(models);
      for (const { folder: from } of packs) await cp(from, join(models, basename(from)), { recursive: true });
      const key = `assay_${randomBytes(32).toString('hex')}`;
      const child = spawnDaemon(folder, { ...settingsOf(folder, models), ASSAY_ADMIN_API_KEY: key });
      try {
        const grpc = await becomeReady(child, signal);
        const client = new AssayClient({ address: grpc, credentials: credentials.createInsecure() }, key);
        return new OwnDaemon(client, child, folder);
      } catch (error) {
        await stop(child);
        throw error;
      }
    } catch (error) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await stop(this.#child);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function settingsOf(folder: string, models: string): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    ...Object.fromEntries(passed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    ASSAY_DATA_DIR: join(folder, 'data'),
    ASSAY_HTTP_LISTEN: '127.0.0.1:0',
    ASSAY_GRPC_LISTEN: '127.0.0.1:0',
    ASSAY_MODELS_FOLDERS: models,
    ASSAY_LOG_LEVEL: 'warn',
  };
}

/** The daemon has a process group of its own, so that Ctrl-C reaches only the evaluation, which lets the daemon finish. */
function spawnDaemon(folder: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [ENTRY, folder], { env, detached: true, stdio: 'pipe' });
}

/** Returns the daemon's address for gRPC. */
async function becomeReady(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const said = new LastLines(child);
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(READY_MS_MAX)]);
  const ended = once(child, 'exit', { signal: bounded }).then(() => null);
  const ready = Promise.race([readAddresses(child), ended]);
  const addresses = await ready.catch((error: unknown) => {
    throw signal.aborted ? error : said.fail(`was not ready within ${READY_MS_MAX / 1000} s`);
  });
  if (addresses === null) throw said.fail('ended before it served');
  while (!(await isReady(addresses.http))) {
    if (signal.aborted) throw signal.reason;
    if (bounded.aborted) throw said.fail(`was not ready within ${READY_MS_MAX / 1000} s`);
    if (child.exitCode !== null || child.signalCode !== null) throw said.fail('ended before it was ready');
    await sleep(POLL_MS);
  }
  ended.catch(() => undefined);
  return addresses.grpc;
}

async function readAddresses({ stdout }: ChildProcess): Promise<{ http: string; grpc: string } | null> {
  if (stdout === null) return null;
  for await (const line of createInterface({ input: stdout })) {
    const [, http, grpc] = READY_LINE.exec(line) ?? [];
    if (http === undefined || grpc === undefined) continue;
    // Nobody reads on: a full pipe would stop the daemon.
    stdout.resume();
    return { http, grpc };
  }
  return null;
}

async function isReady(http: string): Promise<boolean> {
  const response = await fetch(`${http}/readyz`).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** What a process said last on its error output. */
class LastLines {
  readonly #lines: string[] = [];

  constructor({ stderr }: ChildProcess) {
    if (stderr === null) return;
    createInterface({ input: stderr }).on('line', (line) => {
      this.#lines.push(line);
      if (this.#lines.length > LINES_MAX) this.#lines.shift();
    });
  }

  fail(what: string): OwnDaemonError {
    return new OwnDaemonError([`the daemon of the evaluation ${what}`, ...this.#lines].join('\n'));
  }
}

/** By the end of its input: it drains and removes its folder, as it does when the evaluation is killed. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await exited;
  clearTimeout(timer);
}

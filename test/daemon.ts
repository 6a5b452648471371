/** A real daemon for tests: its own process, its own data folder (kept when a test fails), any free ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeTinyPacks } from './interface/packs.ts';
import { keepModelChecks, layModelChecks } from './model-checks.ts';
import { PATIENCE_MS } from './patience.ts';
import { DAEMON_STARTED } from './runner/run-files.ts';

export const TEST_KEY = `assay_${'7'.repeat(64)}`;

export interface DaemonOptions {
  folder?: string;
  /** Folder of a copy of the program; this checkout otherwise. */
  program?: string;
  env?: Record<string, string>;
  /** `tiny`: hand-made models, up in a third of the time, for tests that need a verdict but no good one. */
  models?: 'tiny';
  /** Whether to wait until the models are loaded; true by default. */
  awaitReady?: boolean;
  /** Longest wait for the models. */
  readyTimeoutMs?: number;
}

/** Where the runner keeps compiled sources, if it does: no test is about compiling them. */
export const COMPILED: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** The folder is written once for all daemons of a process, which only read it. */
let tinyPacks: Promise<string> | undefined;

export async function tinyModels(): Promise<Record<string, string>> {
  tinyPacks ??= makeTinyPacks();
  return { ASSAY_MODELS_FOLDERS: await tinyPacks };
}

async function makeTinyPacks(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-test-packs-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await writeTinyPacks(folder);
  return folder;
}

const READY_LINE = /assay ready http=(\S+) grpc=(\S+)$/;

export class TestDaemon implements AsyncDisposable {
  readonly folder: string;
  readonly http: string;
  readonly grpc: string;
  readonly process: ChildProcess;
  readonly #keepsFolder: boolean;
  readonly #keepsChecks: boolean;
  readonly stderr: string[];
  /** The lines that it printed before its ready line. */
  readonly said: readonly string[];

  private constructor(
    child: ChildProcess,
    folder: string,
    keepsFolder: boolean,
    keepsChecks: boolean,
    http: string,
    grpc: string,
    stderr: string[],
    said: readonly string[],
  ) {
    this.process = child;
    this.folder = folder;
    this.#keepsFolder = keepsFolder;
    this.#keepsChecks = keepsChecks;
    this.http = http;
    this.grpc = grpc;
    this.stderr = stderr;
    this.said = said;
  }

  static async start(options: DaemonOptions = {}): Promise<TestDaemon> {
    const startedAt = performance.now();
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'assay-test-'));
    const models = options.models === 'tiny' ? await tinyModels() : {};
    const hasShippedModels = options.models !== 'tiny' && options.env?.ASSAY_MODELS_FOLDERS === undefined;
    const keepsChecks = hasShippedModels && options.awaitReady !== false;
    if (keepsChecks) layModelChecks(folder);
    const child = spawn(
      process.execPath,
      [join(options.program ?? join(import.meta.dirname, '..'), 'src', 'main.ts')],
      {
        env: {
          PATH: process.env.PATH,
          ...COMPILED,
          ASSAY_DATA_DIR: folder,
          ASSAY_HTTP_LISTEN: '127.0.0.1:0',
          ASSAY_GRPC_LISTEN: '127.0.0.1:0',
          ASSAY_ADMIN_API_KEY: TEST_KEY,
          ASSAY_LOG_LEVEL: 'warn',
          // Containers run tests as root, some of them on kernels without Landlock.
          ASSAY_DECODE_ISOLATION: 'any',
          ...models,
          ...options.env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const stderr: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
    const { http, grpc, said } = await readReadyLine(child, stderr);
    const daemon = new TestDaemon(
      child,
      folder,
      options.folder !== undefined,
      keepsChecks,
      http,
      grpc,
      stderr,
      said,
    );
    try {
      if (options.awaitReady !== false) await daemon.ready(options.readyTimeoutMs);
      channel(DAEMON_STARTED).publish((performance.now() - startedAt) / 1000);
      return daemon;
    } catch (error) {
      // The caller does not get the daemon and cannot end it.
      await daemon.kill('SIGKILL');
      throw error;
    }
  }

  async ready(timeoutMs = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let said = 'nothing was asked';
    while (Date.now() < deadline) {
      const response = await fetch(`${this.http}/readyz`);
      said = await response.text();
      if (response.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the daemon did not get ready: ${said}\n${this.stderr.join('\n')}`);
  }

  async kill(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const exited = once(this.process, 'exit');
    this.process.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM');
    if (this.#keepsChecks) keepModelChecks(this.folder);
    if (!this.#keepsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Start {
  http: string;
  grpc: string;
  said: string[];
}

async function readReadyLine(child: ChildProcess, stderr: string[]): Promise<Start> {
  if (child.stdout === null) throw new Error('the daemon has no output');
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  for await (const line of lines) {
    const match = READY_LINE.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) {
      child.stdout.resume();
      return { http: match[1], grpc: match[2], said };
    }
    said.push(line);
  }
  throw new Error(`the daemon ended before it served: ${stderr.join('\n')}`);
}

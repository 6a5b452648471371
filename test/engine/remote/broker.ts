/** A real nats-server and real workers, each in a process of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { brokerConfig } from '../../../src/config/broker-config.ts';
import { COMPILED } from '../../daemon.ts';

export const SERVER = process.env.ASSAY_NATS_SERVER ?? 'nats-server';
export const COMMAND = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'main.ts');

const VERSION = /v(\S+)/.exec(spawnSync(SERVER, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? '';

/** Why tests of workers on other boxes cannot run here; false where they can. */
export const skipWithoutBroker: string | false =
  spawnSync(SERVER, ['--version']).status === 0 ? false : `no nats-server (${SERVER})`;

export class Broker implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #keys: ReadonlyMap<string, KeyPair>;
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number, keys: ReadonlyMap<string, KeyPair>) {
    this.#folder = folder;
    this.port = port;
    this.#keys = keys;
  }

  /** Starts a broker whose configuration has keys of a daemon and the workers. */
  static async start(folder: string, workers: readonly string[]): Promise<Broker> {
    const keys = new Map(['daemon', ...workers].map((name) => [name, createUser()]));
    const broker = new Broker(folder, await freePort(), keys);
    const user = (name: string) => ({ name, nkey: keys.get(name)?.getPublicKey() ?? '' });
    mkdirSync(folder, { recursive: true });
    const config = brokerConfig({
      listen: broker.address,
      storeFolder: join(folder, 'store'),
      daemon: user('daemon'),
      workers: workers.map(user),
      version: VERSION,
    });
    writeFileSync(join(folder, 'nats.conf'), config);
    await broker.restart();
    return broker;
  }

  /** Starts on a folder that `assay worker setup` has written; its store must be `store` in it. */
  static async of(folder: string, port: number): Promise<Broker> {
    const seeds = readdirSync(folder).filter((file) => file.endsWith('.nkey'));
    const keys = seeds.map(
      (file) => [basename(file, '.nkey'), fromSeed(readFileSync(join(folder, file)))] as const,
    );
    const broker = new Broker(folder, port, new Map(keys));
    await broker.restart();
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  seedOf(name: string): string {
    return new TextDecoder().decode(this.#keys.get(name)?.getSeed());
  }

  envOf(name: string): Record<string, string> {
    return { ASSAY_NATS_SERVERS: `nats://${this.address}`, ASSAY_NATS_NKEY_SEED: this.seedOf(name) };
  }

  /** Restarts the broker with an empty store. */
  async forgetAll(): Promise<void> {
    await this.kill();
    rmSync(join(this.#folder, 'store'), { recursive: true, force: true });
    await this.restart();
  }

  get config(): string {
    return readFileSync(join(this.#folder, 'nats.conf'), 'utf8');
  }

  /** Restarts the broker with other settings. */
  async reconfigure(config: string): Promise<void> {
    await this.kill();
    writeFileSync(join(this.#folder, 'nats.conf'), config);
    await this.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async restart(): Promise<void> {
    this.#process = spawn(SERVER, ['-c', join(this.#folder, 'nats.conf')], { stdio: 'ignore' });
    while (!(await answers(this.port))) {
      if (this.#process.exitCode !== null) throw new Error('nats-server did not start');
      await delay(50);
    }
  }

  /** Kills the broker without warning. */
  async kill(): Promise<void> {
    if (this.#process === null || this.#process.exitCode !== null || this.#process.signalCode !== null)
      return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}

export interface WorkerStart {
  /** The program and its arguments before `--name`; `assay worker` where absent. */
  entry?: readonly string[];
  /** The one core that it and its children run on; any where absent. */
  core?: number;
}

export class TestWorker implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly stderr: string[] = [];

  private constructor(child: ChildProcess) {
    this.process = child;
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => this.stderr.push(line));
  }

  static async start(
    name: string,
    env: Record<string, string>,
    { entry = [COMMAND, 'worker'], core }: WorkerStart = {},
  ): Promise<TestWorker> {
    const command = [process.execPath, ...entry, '--name', name];
    const [program = '', ...args] =
      core === undefined ? command : ['taskset', '-c', String(core), ...command];
    const child = spawn(program, args, {
      env: {
        PATH: process.env.PATH,
        ...COMPILED,
        ASSAY_LOG_LEVEL: 'warn',
        ASSAY_DECODE_ISOLATION: 'any',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const worker = new TestWorker(child);
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== 'assay worker ready') continue;
      child.stdout.resume();
      return worker;
    }
    throw new Error(`the worker did not start: ${worker.stderr.join('\n')}`);
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const exited = once(this.process, 'exit');
    this.process.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isThere = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isThere;
}

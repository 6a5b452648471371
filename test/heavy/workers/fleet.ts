/** A front without places of its own, a real nats-server and workers, each in a process of its own, with small models. */
import { join } from 'node:path';
import { TestDaemon } from '../../daemon.ts';
import { Broker, TestWorker, type WorkerStart } from '../../engine/remote/broker.ts';
import { writeTinyPacks } from '../../interface/packs.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

export interface FleetOptions {
  /** Workers that the broker knows. */
  names: readonly string[];
  leaseSeconds?: number;
  /** For the front and all workers. */
  env?: Record<string, string>;
  /** Settings of the front alone. */
  frontEnv?: Record<string, string>;
}

export class Fleet implements AsyncDisposable {
  readonly folder: string;
  readonly broker: Broker;
  /** Settings with which a daemon without workers brings the same figures. */
  readonly homeEnv: Readonly<Record<string, string>>;
  readonly #frontEnv: Readonly<Record<string, string>>;
  readonly #held: AsyncDisposableStack;

  private constructor(
    folder: string,
    broker: Broker,
    { homeEnv, frontEnv }: { homeEnv: Record<string, string>; frontEnv: Record<string, string> },
    held: AsyncDisposableStack,
  ) {
    this.folder = folder;
    this.broker = broker;
    this.homeEnv = homeEnv;
    this.#frontEnv = frontEnv;
    this.#held = held;
  }

  /** Opens the fleet with its broker; front and workers are started one by one. */
  static async open({ names, leaseSeconds = 2, env = {}, frontEnv = {} }: FleetOptions): Promise<Fleet> {
    await using stack = new AsyncDisposableStack();
    const { path: folder } = stack.use(await makeTemporaryFolder());
    const packs = join(folder, 'packs');
    await writeTinyPacks(packs);
    const broker = stack.use(await Broker.start(join(folder, 'broker'), names));
    const homeEnv = {
      ...{ ASSAY_MODELS_FOLDERS: packs, ASSAY_INFERENCE_PROCESSES: '1', ASSAY_DECODE_SLOTS: '1' },
      ...env,
    };
    const remote = {
      ...{ ASSAY_QUEUE_RUNNING_MAX: '0', ASSAY_WORKERS_LISTEN: '127.0.0.1:0' },
      ASSAY_WORKERS_LEASE_SECONDS: String(leaseSeconds),
    };
    return new Fleet(
      folder,
      broker,
      { homeEnv, frontEnv: { ...homeEnv, ...remote, ...frontEnv } },
      stack.move(),
    );
  }

  get frontFolder(): string {
    return join(this.folder, 'front');
  }

  async startFront(): Promise<TestDaemon> {
    const env = { ...this.#frontEnv, ...this.broker.envOf('daemon') };
    return await TestDaemon.start({ folder: this.frontFolder, env, readyTimeoutMs: 300_000 });
  }

  async startWorker(
    name: string,
    env: Record<string, string> = {},
    how: WorkerStart = {},
  ): Promise<TestWorker> {
    const data = join(this.folder, name);
    const own = { ASSAY_DATA_DIR: data, ASSAY_QUEUE_RUNNING_MAX: '2' };
    return await TestWorker.start(name, { ...this.homeEnv, ...this.broker.envOf(name), ...own, ...env }, how);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#held.disposeAsync();
  }
}

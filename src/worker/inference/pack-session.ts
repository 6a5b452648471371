/**
 * A pack in memory: its session on one execution provider and the buffers of one batch. `run` blocks the
 * process while the model computes (libraries.md section 3), which is why this process does nothing else.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { LoadedPack } from '../protocol.ts';
import { makeTables, writePlanes } from './tensor-layout.ts';

export class PackSession {
  readonly pack: LoadedPack;
  readonly provider: string;
  readonly batchMax: number;
  readonly #session: InferenceSession;
  readonly #tables: Float32Array[];
  readonly #planes: Float32Array;
  readonly #patchBytes: number;

  private constructor(pack: LoadedPack, provider: string, batchMax: number, session: InferenceSession) {
    this.pack = pack;
    this.provider = provider;
    this.batchMax = batchMax;
    this.#session = session;
    this.#tables = makeTables(pack.input);
    this.#patchBytes = pack.input.size ** 2 * 3;
    this.#planes = new Float32Array(batchMax * this.#patchBytes);
  }

  /** Asks for one provider only: a list would let the runtime fall back without a word. */
  static async open(
    pack: LoadedPack,
    provider: string,
    { threads, batchMax }: { threads: number; batchMax: number },
  ): Promise<PackSession> {
    const session = await InferenceSession.create(pack.modelPath, {
      executionProviders: [provider],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
    });
    return new PackSession(pack, provider, batchMax, session);
  }

  /** Puts patches into the batch, the first of them at place `first`. */
  fill(bytes: Uint8Array, first: number): void {
    writePlanes(bytes, this.#tables, this.pack.input.size, this.#planes, first);
  }

  /** Runs the first `count` patches of the batch; the batch may be filled again once this has resolved. */
  async run(count: number): Promise<Float32Array> {
    const { input, outputName } = this.pack;
    const shapeCount = this.#shapeCount(count);
    const planes = this.#planes.subarray(0, shapeCount * this.#patchBytes);
    const feeds = { [input.name]: new Tensor('float32', planes, [shapeCount, 3, input.size, input.size]) };
    const data = (await this.#session.run(feeds, [outputName]))[outputName]?.data;
    if (!(data instanceof Float32Array) || data.length !== shapeCount) {
      throw new Error(`the model gave ${data?.length ?? 'no'} values for ${shapeCount} patches`);
    }
    return data.slice(0, count);
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  /** A GPU prepares itself anew for each shape it meets, so there every batch is full; a CPU would waste work. */
  #shapeCount(count: number): number {
    return this.provider === 'cpu' ? count : this.batchMax;
  }
}

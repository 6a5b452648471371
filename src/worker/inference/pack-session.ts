/** A pack in memory, on one provider. `run` blocks the process while the model computes, so it does nothing else. */
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { LoadedPack, Precision } from '../protocol/inference-protocol.ts';
import { type BatchInput, itemShapeOf } from './item-source.ts';

/** A pack whose items do not depend on each other. */
export type BatchPack = LoadedPack & { input: BatchInput };

export interface SessionOptions {
  threads: number;
  batchMax: number;
}

export interface Device {
  provider: string;
  precision: Precision;
}

/** Names one provider only: with a list the runtime would fall back silently. */
export async function openOnnx(
  modelPath: string,
  { provider, precision }: Device,
  threads: number,
): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    // Spinning threads would take half of the decoders' time, and three times as long on a busy box.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  if (precision === 'full') return await InferenceSession.create(modelPath, options);
  const { toHalfPrecision } = await import('../convert/half-graph.ts');
  return await InferenceSession.create(toHalfPrecision(await readFile(modelPath)).bytes, options);
}

export class PackSession {
  readonly pack: BatchPack;
  readonly provider: string;
  readonly batchMax: number;
  readonly #session: InferenceSession;
  readonly #names: Names;
  readonly #itemShape: number[];
  readonly #itemFloats: number;
  readonly #batch: Float32Array;

  private constructor(pack: BatchPack, provider: string, batchMax: number, session: InferenceSession) {
    this.#names = namesOf(pack, session);
    this.pack = pack;
    this.provider = provider;
    this.batchMax = batchMax;
    this.#session = session;
    this.#itemShape = itemShapeOf(pack.input);
    this.#itemFloats = this.#itemShape.reduce((product, side) => product * side, 1);
    this.#batch = new Float32Array(batchMax * this.#itemFloats);
  }

  static async open(
    pack: BatchPack,
    device: Device,
    { threads, batchMax }: SessionOptions,
  ): Promise<PackSession> {
    const session = await openOnnx(pack.modelPath, device, threads);
    return new PackSession(pack, device.provider, fixedBatchOf(session) ?? batchMax, session);
  }

  /** Room for the batch's items from `first` on, to be filled before a run. */
  place(first: number): Float32Array {
    return this.#batch.subarray(first * this.#itemFloats);
  }

  /** Runs the first `count` items of the batch; the batch may be filled again once this has resolved. */
  async run(count: number): Promise<Float32Array> {
    const { input } = this.pack;
    const { inputName, outputName } = this.#names;
    const shapeCount = this.#shapeCount(count);
    const items = this.#batch.subarray(0, shapeCount * this.#itemFloats);
    const feeds = { [inputName]: new Tensor('float32', items, [shapeCount, ...this.#itemShape]) };
    const data = (await this.#session.run(feeds, [outputName]))[outputName]?.data;
    const { outputLength } = this.pack;
    if (!(data instanceof Float32Array) || data.length !== shapeCount * outputLength) {
      throw new Error(`the model gave ${data?.length ?? 'no'} values for ${shapeCount} ${input.kind}`);
    }
    return data.slice(0, count * outputLength);
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  /** A GPU prepares itself anew for each shape, so every batch is full there; on a CPU that would waste work. */
  #shapeCount(count: number): number {
    return this.provider === 'cpu' ? count : this.batchMax;
  }
}

interface Names {
  inputName: string;
  outputName: string;
}

/** A description that leaves a name empty means the model's first input or output. */
function namesOf({ input, outputName }: BatchPack, session: InferenceSession): Names {
  return {
    inputName: input.name || (session.inputNames[0] ?? ''),
    outputName: outputName || (session.outputNames[0] ?? ''),
  };
}

/** Models of others may take only one item at a time. */
function fixedBatchOf({ inputMetadata }: InferenceSession): number | null {
  const [first] = inputMetadata;
  const count = first?.isTensor === true ? first.shape[0] : undefined;
  return typeof count === 'number' && count > 0 ? count : null;
}

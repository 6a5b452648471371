/** A Whisper model in memory: its encoder, its decoder with the state of the text so far, and its vocabulary. */
import { readFile } from 'node:fs/promises';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelProtoSchema } from '../../convert/gen/onnx/onnx_pb.ts';
import type { LoadedPack, TranscriptionInput } from '../../protocol/inference-protocol.ts';
import { BANDS, FRAMES } from './mel-spectrogram.ts';
import { Vocabulary } from './vocabulary.ts';

export type TranscriptionPack = LoadedPack & { input: TranscriptionInput };

const STATE_INPUT = /^past_key_values\.(.*)$/;
const DECODER_STATE = /\.decoder\./;

/** Encoded sound, and the decoder's state: of the sound unchanged, of the text token by token. */
export interface DecoderState {
  readonly sound: Tensor;
  readonly memory: Readonly<Record<string, Tensor>>;
}

export class WhisperSession {
  readonly pack: TranscriptionPack;
  readonly vocabulary: Vocabulary;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #memories: readonly string[];

  private constructor(
    pack: TranscriptionPack,
    {
      encoder,
      decoder,
      vocabulary,
    }: { encoder: InferenceSession; decoder: InferenceSession; vocabulary: Vocabulary },
  ) {
    this.pack = pack;
    this.vocabulary = vocabulary;
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#memories = decoder.inputNames.flatMap((name) => STATE_INPUT.exec(name)?.[1] ?? []);
  }

  static async open(pack: TranscriptionPack, threads: number): Promise<WhisperSession> {
    const vocabulary = await Vocabulary.open(pack.input);
    const encoder = await openGraph(withOutput(await readFile(pack.modelPath), pack.outputName), threads);
    const decoder = await openGraph(pack.input.decoderPath, threads);
    return new WhisperSession(pack, { encoder, decoder, vocabulary });
  }

  async encode(features: Float32Array): Promise<Tensor> {
    const feeds = { [this.pack.input.name]: new Tensor('float32', features, [1, BANDS, FRAMES]) };
    const encoded = (await this.#encoder.run(feeds, [this.pack.outputName]))[this.pack.outputName];
    if (encoded === undefined) throw new Error('the encoder gave nothing');
    return encoded;
  }

  /** Starts with the first token; the logits are over the whole vocabulary. */
  async begin(sound: Tensor): Promise<{ logits: Float32Array; state: DecoderState }> {
    const { heads, headSize } = this.pack.input;
    const none = () => new Tensor('float32', new Float32Array(), [1, heads, 0, headSize]);
    const memory = Object.fromEntries(this.#memories.map((name) => [name, none()]));
    const outputs = await this.#run({ sound, memory }, this.vocabulary.start, this.#memories);
    return { logits: outputs.logits, state: { sound, memory: outputs.memory } };
  }

  async step(state: DecoderState, token: number): Promise<{ logits: Float32Array; state: DecoderState }> {
    // The state of the sound does not change, and the graph returns it empty from the second token on.
    const changing = this.#memories.filter((name) => DECODER_STATE.test(`.${name}`));
    const { logits, memory } = await this.#run(state, token, changing);
    return { logits, state: { sound: state.sound, memory: { ...state.memory, ...memory } } };
  }

  async release(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.release();
  }

  async #run(
    { sound, memory }: DecoderState,
    token: number,
    wanted: readonly string[],
  ): Promise<{ logits: Float32Array; memory: Record<string, Tensor> }> {
    const isFirst = token === this.vocabulary.start;
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
      encoder_hidden_states: sound,
      use_cache_branch: new Tensor('bool', [!isFirst], [1]),
    };
    for (const [name, tensor] of Object.entries(memory)) feeds[`past_key_values.${name}`] = tensor;
    const outputs = await this.#decoder.run(feeds, ['logits', ...wanted.map((name) => `present.${name}`)]);
    const logits = outputs.logits?.data;
    if (!(logits instanceof Float32Array)) throw new Error('the decoder gave no logits');
    const next: Record<string, Tensor> = {};
    for (const name of wanted) {
      const tensor = outputs[`present.${name}`];
      if (tensor === undefined) throw new Error(`the decoder does not remember ${name}`);
      next[name] = tensor;
    }
    return { logits, memory: next };
  }
}

/** On the CPU: a GPU would spend each token on copies. The optimiser's long passes take three seconds for no gain. */
async function openGraph(model: string | Uint8Array, threads: number): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableCpuMemArena: typeof model === 'string',
    graphOptimizationLevel: 'basic',
    logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  // The binding has an overload for each type.
  if (typeof model === 'string') return await InferenceSession.create(model, options);
  return await InferenceSession.create(model, options);
}

/** Returns the encoding alone: the attention, which the graph also gives, would take 72 MB a layer unread. */
function withOutput(bytes: Uint8Array, output: string): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes);
  if (model.graph === undefined) throw new Error('the encoder has no graph');
  model.graph.output = model.graph.output.filter(({ name }) => name === output);
  return toBinary(ModelProtoSchema, model);
}

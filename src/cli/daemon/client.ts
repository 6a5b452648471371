/** The daemon as the command line sees it: typed calls over one connection with one key. */
import type {
  DescMessage,
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import {
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientWritableStream,
  Metadata,
} from '@grpc/grpc-js';
import { serviceDefinition } from '../../grpc/definition.ts';
import { toFailure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findApiKey } from './api-key.ts';
import { type Channel, findChannel } from './channel.ts';

/** A page of 100 records with full C2PA reports stays below this; grpc-js' own bound of 4 MiB does not hold it. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An `error` event without a listener would end the process; the caller gets the same fault another way. */
const ignore = (): void => {};

export async function openClient(terminal: Terminal): Promise<AssayClient> {
  return new AssayClient(await findChannel(terminal.env), await findApiKey(terminal.env));
}

export class AssayClient implements Disposable {
  readonly address: string;
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor({ address, credentials }: Channel, apiKey: string | null) {
    this.address = address;
    if (apiKey !== null) this.#metadata.set('x-api-key', apiKey);
    const options = { 'grpc.max_receive_message_length': ANSWER_BYTES_MAX };
    this.#client = new Client(address, credentials, options);
  }

  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    const { path, serialize, deserialize } = wireOf(method);
    const { promise, resolve, reject } = Promise.withResolvers<MessageShape<O>>();
    this.#client.makeUnaryRequest(path, serialize, deserialize, request, this.#metadata, (error, answer) => {
      if (answer === undefined) this.#rejectWith(error, reject);
      else resolve(answer);
    });
    return promise;
  }

  /** Faults are thrown from the iteration as failures; an abort ends it. */
  async *receive<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): AsyncGenerator<MessageShape<O>> {
    const { path, serialize, deserialize } = wireOf(method);
    const call: ClientReadableStream<MessageShape<O>> = this.#client.makeServerStreamRequest(
      path,
      serialize,
      deserialize,
      request,
      this.#metadata,
    );
    call.on('error', ignore);
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    try {
      yield* call;
    } catch (error) {
      if (signal?.aborted !== true) throw toFailure(error, this.address);
    } finally {
      signal?.removeEventListener('abort', cancel);
      call.cancel();
    }
  }

  openDuplex<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
  ): ClientDuplexStream<MessageInitShape<I>, MessageShape<O>> {
    const { path, serialize, deserialize } = wireOf(method);
    const call = this.#client.makeBidiStreamRequest(path, serialize, deserialize, this.#metadata);
    call.on('error', ignore);
    return call;
  }

  openUpload<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
  ): { call: ClientWritableStream<MessageInitShape<I>>; answer: Promise<MessageShape<O>> } {
    const { path, serialize, deserialize } = wireOf(method);
    const { promise, resolve, reject } = Promise.withResolvers<MessageShape<O>>();
    const done = (error: Error | null, answer: MessageShape<O> | undefined) => {
      if (answer === undefined) this.#rejectWith(error, reject);
      else resolve(answer);
    };
    const call = this.#client.makeClientStreamRequest(path, serialize, deserialize, this.#metadata, done);
    call.on('error', ignore);
    return { call, answer: promise };
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  #rejectWith(error: unknown, reject: (reason: unknown) => void): void {
    try {
      reject(toFailure(error, this.address));
    } catch (programmerError) {
      reject(programmerError);
    }
  }
}

function wireOf<O extends DescMessage>(method: DescMethod & { output: O }) {
  const definition = serviceDefinition(method.parent)[method.localName];
  if (definition === undefined) throw new Error(`no method ${method.name}`);
  const { path, requestSerialize: serialize, responseDeserialize } = definition;
  const deserialize = (bytes: Buffer) => responseDeserialize(bytes) as MessageShape<O>;
  return { path, serialize, deserialize };
}

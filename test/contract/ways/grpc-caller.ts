import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
  type DescMessage,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  type JsonObject,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { credentials } from '@grpc/grpc-js';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import type { MediaKind as KindWord, Label as LabelWord } from '../../../src/domain/media/media.ts';
import {
  type Classification,
  ClassificationSchema,
} from '../../../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { Label, MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { toWhole, type WholeRecord } from '../media-record.ts';
import { AccountCalls } from './account-calls.ts';
import {
  type Fault,
  type FullCaller,
  mapValue,
  type Result,
  type SharedOverride,
  type SharedOverrideEntry,
  type SharedValidation,
  type SubmitOptions,
} from './caller.ts';
import { refusalIn } from './grpc-refusal.ts';
import { GrpcOperations } from './operation-callers.ts';

const media = ClassificationService.method;
const KINDS = { image: MediaKind.IMAGE, video: MediaKind.VIDEO, audio: MediaKind.AUDIO } as const;
const LABELS = { human: Label.HUMAN, artificial: Label.ARTIFICIAL, '': Label.UNSPECIFIED } as const;
const CHUNK_BYTES = 256 * 1024;
const LIST_MAX = 100;

export class GrpcCaller extends AccountCalls implements FullCaller {
  readonly name = 'gRPC';
  readonly #client: AssayClient;

  constructor(address: string, key: string) {
    super(new GrpcOperations(address, key));
    this.#client = new AssayClient({ address, credentials: credentials.createInsecure() }, key);
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#client[Symbol.dispose]();
  }

  async submit(kind: KindWord, bytes: Uint8Array, options: SubmitOptions = {}): Promise<Result<string>> {
    const result = await this.#upload(media.submitMedia, kind, bytes, options);
    return mapValue(result, ({ classification }) => classification?.identifier ?? '');
  }

  /** One bidirectional call: chunks up, the record's changes down. */
  async classify(
    kind: KindWord,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<WholeRecord>> {
    const call = this.#client.openDuplex(media.classifyMedia);
    // A refused upload ends the call while chunks are still being written: the refusal is what counts.
    const uploading = sendUpload(call, kind, bytes, options).catch(() => undefined);
    let last: Classification | undefined;
    try {
      for await (const { update } of call) if (update.case === 'classification') last = update.value;
    } catch (error) {
      call.cancel();
      return { fault: faultOf(error as Error) };
    }
    await uploading;
    return { value: wholeOf(last) };
  }

  async read(_kind: KindWord, identifier: string): Promise<Result<WholeRecord>> {
    const result = await this.#call(media.getClassification, { identifier });
    return mapValue(result, ({ classification }) => wholeOf(classification));
  }

  async readMany(kind: KindWord, identifiers: string[]): Promise<Result<string[]>> {
    return identifiersOf(await this.#call(media.batchGetClassifications, { identifiers, kind: KINDS[kind] }));
  }

  async list(kind: KindWord): Promise<Result<string[]>> {
    return identifiersOf(
      await this.#call(media.listClassifications, { kind: KINDS[kind], pageSize: LIST_MAX }),
    );
  }

  async validate(
    kind: KindWord,
    bytes: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Result<SharedValidation>> {
    const result = await this.#upload(media.validateMedia, kind, bytes, options);
    return mapValue(result, ({ valid, filesize, mimetype, width, height, models }) => ({
      ...{ valid, filesize: Number(filesize), mimetype },
      ...{ width: width ?? null, height: height ?? null, models: models.sort() },
    }));
  }

  override(kind: KindWord, hash: string, label: LabelWord | ''): Promise<Result<SharedOverride>> {
    return this.#override(kind, hash, label, '');
  }

  overrideBecause(
    kind: KindWord,
    hash: string,
    label: LabelWord,
    reason: string,
  ): Promise<Result<SharedOverride>> {
    return this.#override(kind, hash, label, reason);
  }

  async removeOverride(kind: KindWord, hash: string): Promise<Result<SharedOverride>> {
    return mapValue(await this.#call(media.removeOverride, { kind: KINDS[kind], hash }), toOverride);
  }

  async overrideHistory(kind: KindWord, hash: string): Promise<Result<SharedOverrideEntry[]>> {
    const result = await this.#call(media.listOverrides, { kind: KINDS[kind], hash });
    return mapValue(result, ({ overrides }) =>
      overrides.map(({ classification, measured, reason, byAccountId }) => ({
        classification: wordOf(LABELS, classification),
        measured: wordOf(LABELS, measured),
        reason,
        byAccountId: Number(byAccountId),
      })),
    );
  }

  async #override(
    kind: KindWord,
    hash: string,
    label: LabelWord | '',
    reason: string,
  ): Promise<Result<SharedOverride>> {
    const request = { kind: KINDS[kind], hash, classification: LABELS[label], reason };
    return mapValue(await this.#call(media.overrideClassification, request), toOverride);
  }

  #call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<Result<MessageShape<O>>> {
    return resultOf(this.#client.call(method, request));
  }

  #upload<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O>,
    kind: KindWord,
    bytes: Uint8Array,
    options: SubmitOptions,
  ): Promise<Result<MessageShape<O>>> {
    const { call, answer } = this.#client.openUpload(method);
    sendUpload(call, kind, bytes, options).catch(() => undefined);
    return resultOf(answer);
  }
}

/** Header, chunks, commit; a refusal may come before the last of them. */
async function sendUpload(
  call: Writable,
  kind: KindWord,
  bytes: Uint8Array,
  { name = 'file', refId = '', noCache = false, ...options }: SubmitOptions,
): Promise<void> {
  const send = async (payload: object): Promise<void> => {
    if (!call.write({ payload })) await once(call, 'drain');
  };
  await send({ case: 'header', value: { name, kind: KINDS[kind], refId, noCache, options } });
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    await send({ case: 'chunk', value: bytes.subarray(from, from + CHUNK_BYTES) });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await send({ case: 'commit', value: { sizeBytes: BigInt(bytes.length), sha256 } });
  call.end();
}

function wholeOf(classification: Classification | undefined): WholeRecord {
  if (classification === undefined) throw new Error('the answer is empty');
  const options = { useProtoFieldName: true, alwaysEmitImplicit: true };
  return toWhole(toJson(ClassificationSchema, classification, options) as JsonObject);
}

async function resultOf<T>(answer: Promise<T>): Promise<Result<T>> {
  try {
    return { value: await answer };
  } catch (error) {
    return { fault: faultOf(error as Error) };
  }
}

function faultOf(error: Error): Fault {
  const { code, reason, fields } = refusalIn(error);
  return { code: code.toLowerCase(), reason: reason.toLowerCase(), field: fields[0] ?? '' };
}

function wordOf(words: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(words).find(([, number]) => number === value)?.[0] ?? '';
}

function toOverride(answer: { classification: Label; type: MediaKind; hash: string }): SharedOverride {
  const { classification, type, hash } = answer;
  return { classification: wordOf(LABELS, classification), type: wordOf(KINDS, type), hash };
}

function identifiersOf(result: Result<{ classifications: { identifier: string }[] }>): Result<string[]> {
  return mapValue(result, ({ classifications }) => classifications.map(({ identifier }) => identifier));
}

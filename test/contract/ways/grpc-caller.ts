/** The contract's vocabulary over gRPC. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
  type DescMessage,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  fromBinary,
  type JsonObject,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import type { MediaKind as KindWord, Label as LabelWord } from '../../../src/domain/media/media.ts';
import { LedgerReason, type User } from '../../../src/grpc/gen/assay/v1/account_pb.ts';
import { AccountService } from '../../../src/grpc/gen/assay/v1/account_service_pb.ts';
import {
  type Classification,
  ClassificationSchema,
} from '../../../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { Label, MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { PartnerService } from '../../../src/grpc/gen/assay/v1/partner_service_pb.ts';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/grpc/gen/google/rpc/status_pb.ts';
import { toWhole, type WholeRecord } from '../media-record.ts';
import {
  type Fault,
  type FullCaller,
  mapValue,
  type Result,
  type SharedOverride,
  type SharedOverrideEntry,
  type SharedUser,
  type SharedValidation,
  type SubmitOptions,
} from './caller.ts';

const media = ClassificationService.method;
const account = AccountService.method;
const partner = PartnerService.method;
const KINDS = { image: MediaKind.IMAGE, video: MediaKind.VIDEO, audio: MediaKind.AUDIO } as const;
const LABELS = { human: Label.HUMAN, artificial: Label.ARTIFICIAL, '': Label.UNSPECIFIED } as const;
const LEDGER_REASONS = {
  grant: LedgerReason.GRANT,
  charge: LedgerReason.CHARGE,
  refund: LedgerReason.REFUND,
} as const;
const CHUNK_BYTES = 256 * 1024;
const LIST_MAX = 100;

export class GrpcCaller implements FullCaller {
  readonly name = 'gRPC';
  readonly #client: AssayClient;

  constructor(address: string, key: string) {
    this.#client = new AssayClient({ address, credentials: credentials.createInsecure() }, key);
  }

  [Symbol.dispose](): void {
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
      return { fault: faultOf(error as ServiceError) };
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

  async ledger(): Promise<Result<{ reason: string; amount: number }[]>> {
    const result = await this.#call(account.listLedger, { pageSize: LIST_MAX });
    return mapValue(result, ({ entries }) =>
      entries
        .map(({ reason, amount }) => ({
          reason: wordOf(LEDGER_REASONS, reason),
          amount: Number(amount),
        }))
        .reverse(),
    );
  }

  async credits(): Promise<Result<{ available: number; spent: number }>> {
    const result = await this.#call(account.getCredits, {});
    return mapValue(result, ({ availableCredits, totalSpent }) => ({
      available: Number(availableCredits),
      spent: Number(totalSpent),
    }));
  }

  async createUser(fields: { name?: string; email?: string }): Promise<Result<SharedUser>> {
    return mapValue(await this.#call(partner.createUser, { user: fields }), toUser);
  }

  async deleteUser(id: number): Promise<Result<SharedUser>> {
    return mapValue(await this.#call(partner.deleteUser, { id: BigInt(id) }), toUser);
  }

  async sendCreationEmail(id: number): Promise<Result<SharedUser>> {
    return mapValue(await this.#call(partner.sendCreationEmail, { id: BigInt(id) }), toUser);
  }

  async listUsers(filter: string): Promise<Result<{ total: number; names: string[] }>> {
    const result = await this.#call(partner.listUsers, { filter, pageSize: LIST_MAX });
    return mapValue(result, ({ users, totalSize }) => ({
      total: Number(totalSize),
      names: users.map(({ name }) => name),
    }));
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
    return { fault: faultOf((error as Error).cause as ServiceError) };
  }
}

function faultOf({ code, metadata }: ServiceError): Fault {
  const [bytes] = metadata.get('grpc-status-details-bin');
  const details = bytes instanceof Uint8Array ? fromBinary(StatusSchema, bytes).details : [];
  const [info] = details.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []);
  const [violation] = details.flatMap((any) => anyUnpack(any, BadRequestSchema)?.fieldViolations ?? []);
  return {
    code: status[code].toLowerCase(),
    reason: info?.reason.toLowerCase() ?? '',
    field: violation?.field ?? '',
  };
}

function wordOf(words: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(words).find(([, number]) => number === value)?.[0] ?? '';
}

function toOverride(answer: { classification: Label; type: MediaKind; hash: string }): SharedOverride {
  const { classification, type, hash } = answer;
  return { classification: wordOf(LABELS, classification), type: wordOf(KINDS, type), hash };
}

function toUser({ user }: { user?: User | undefined }): SharedUser {
  if (user === undefined) throw new Error('the answer is empty');
  const { id, name, email, balance, heuristic, readonly, pricing, partner: by } = user;
  return {
    ...{ id: Number(id), name, email, balance: Number(balance), heuristic, readonly },
    pricing: pricing?.sku ?? '',
    partnerId: by === undefined ? null : Number(by.id),
  };
}

function identifiersOf(result: Result<{ classifications: { identifier: string }[] }>): Result<string[]> {
  return mapValue(result, ({ classifications }) => classifications.map(({ identifier }) => identifier));
}

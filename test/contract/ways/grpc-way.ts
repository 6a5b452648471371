/** gRPC as an internal service uses it: one bidirectional call, chunks up, the record's changes down. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fromBinary, type JsonObject, toJson } from '@bufbuild/protobuf';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  type Classification,
  ClassificationSchema,
} from '../../../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/grpc/gen/google/rpc/status_pb.ts';
import { openServiceClient, type ServiceClient } from '../../service-client.ts';
import { type Outcome, type SharedRecord, type Submission, type Way, word } from './outcome.ts';

/** google.rpc.Code to the words of domain/errors.ts. */
const CODES: Record<number, string> = { 3: 'invalid_argument', 5: 'not_found', 16: 'unauthenticated' };
const CHUNK_BYTES = 256 * 1024;

export class GrpcWay implements Way, Disposable {
  readonly name = 'gRPC';
  readonly #address: string;
  readonly #key: string;
  readonly #client: ServiceClient<typeof ClassificationService>;

  constructor(address: string, key: string) {
    this.#address = address;
    this.#key = key;
    this.#client = openServiceClient(ClassificationService, address, credentials.createInsecure());
  }

  withKey(key: string): Way {
    return new GrpcWay(this.#address, key);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  async classify(submission: Submission): Promise<Outcome> {
    const call = this.#client.classifyMedia(this.#metadata());
    const { bytes, name, refId = '', withHeatmap = false, preventC2paForces = false } = submission;
    const upload = async (): Promise<void> => {
      const options = { withHeatmap, preventC2paForces };
      call.write({ payload: { case: 'header', value: { name, kind: MediaKind.IMAGE, refId, options } } });
      for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
        const chunk = bytes.subarray(from, from + CHUNK_BYTES);
        if (!call.write({ payload: { case: 'chunk', value: chunk } })) await once(call, 'drain');
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length), sha256 } } });
      call.end();
    };
    let last: Classification | undefined;
    // A refused upload ends the call while chunks are still being written: the refusal is what counts.
    const uploading = upload().catch(() => undefined);
    try {
      for await (const { update } of call) if (update.case === 'classification') last = update.value;
    } catch (error) {
      call.cancel();
      return faultOf(error);
    }
    await uploading;
    if (last === undefined) throw new Error('the call ended without a record');
    return { record: toShared(last) };
  }

  read(identifier: string): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#client.getClassification({ identifier }, this.#metadata(), {}, (error, answer) => {
        if (error !== null) resolve(faultOf(error));
        else if (answer?.classification !== undefined) resolve({ record: toShared(answer.classification) });
      });
    });
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    metadata.set('x-api-key', this.#key);
    return metadata;
  }
}

function faultOf(error: unknown): Outcome {
  const { code, metadata } = error as ServiceError;
  const details = metadata.get('grpc-status-details-bin')[0];
  let reason = '';
  let field = '';
  for (const { typeUrl, value } of details instanceof Buffer
    ? fromBinary(StatusSchema, details).details
    : []) {
    if (typeUrl.endsWith('ErrorInfo')) reason = fromBinary(ErrorInfoSchema, value).reason.toLowerCase();
    if (typeUrl.endsWith('BadRequest'))
      field = fromBinary(BadRequestSchema, value).fieldViolations[0]?.field ?? '';
  }
  return { fault: { code: CODES[code] ?? String(code), reason, field } };
}

function toShared(message: Classification): SharedRecord {
  const json = toJson(ClassificationSchema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return sharedFromJson(json as JsonObject);
}

interface JsonVerdict {
  heuristic: string;
  confidence: number;
  classification: string;
  models: string[];
}

/** From protobuf's JSON, which the command line prints too. */
export function sharedFromJson(json: JsonObject): SharedRecord {
  const record = json as unknown as Record<string, string> & {
    verdict: JsonVerdict;
    verdicts: JsonVerdict[];
    results: { model: string; unknown: boolean; classification: { label: string; score: number }[] }[];
    has_heatmap: boolean;
    c2pa?: { validation_state: string };
  };
  const verdict = ({
    heuristic,
    confidence,
    classification,
    models,
  }: JsonVerdict): SharedRecord['verdict'] => ({
    heuristic,
    confidence,
    classification: word(classification, 'label_'),
    models,
  });
  return {
    identifier: record.identifier ?? '',
    hash: record.hash ?? '',
    status: word(record.status, 'status_'),
    errors: record.errors ?? '',
    name: record.name ?? '',
    refId: record.ref_id ?? '',
    resultUrl: record.result_url ?? '',
    apiVersion: record.api_version ?? '',
    forced: word(record.force_classification, 'label_'),
    verdict: verdict(record.verdict),
    verdicts: record.verdicts.map(verdict),
    results: record.results.map(({ model, unknown, classification }) => ({
      model,
      unknown,
      scores: classification.map(({ label, score }) => [word(label, 'label_'), score]),
    })),
    hasHeatmap: record.has_heatmap,
    validationState: record.c2pa?.validation_state ?? '',
  };
}

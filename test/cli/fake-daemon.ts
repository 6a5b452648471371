/** A ClassificationService for tests of the command line: it answers by the file's name. */
import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { serviceDefinition } from '../../src/grpc/definition.ts';
import { AssessmentState } from '../../src/grpc/gen/assay/v1/assessment_pb.ts';
import { ClassificationSchema, HeatmapLayer, Status } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import {
  ClassificationService,
  type ClassifyMediaRequest,
} from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { Label, MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { ErrorInfoSchema } from '../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/grpc/gen/google/rpc/status_pb.ts';

export interface FakeDaemon extends AsyncDisposable {
  address: string;
  /** Largest number of uploads that were open at once. */
  openMax: number;
  /** Bytes received by name. */
  received: Map<string, number>;
}

interface Upload {
  write(answer: unknown): boolean;
  end(): void;
  emit(event: 'error', error: unknown): boolean;
  on(event: 'data', listener: (message: ClassifyMediaRequest) => void): unknown;
  on(event: 'cancelled', listener: () => void): unknown;
}

export async function startFakeDaemon(): Promise<FakeDaemon> {
  const fake = { openMax: 0, received: new Map<string, number>() };
  const state = { open: 0, busyOnce: new Set<string>() };
  const server = new Server();
  server.addService(serviceDefinition(ClassificationService), {
    classifyMedia: (call: Upload & { metadata: Metadata }) => {
      if (call.metadata.get('x-api-key')[0] !== 'good') {
        call.emit('error', toError(status.UNAUTHENTICATED, 'the key is not valid', 'key'));
        return;
      }
      receive(call, fake, state);
    },
    getHeatmap: (call: Upload) => {
      call.write({ chunk: Buffer.from('PN') });
      call.write({ chunk: Buffer.from('G') });
      call.end();
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, found: number) => (error === null ? resolve(found) : reject(error));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
  });
  const dispose = async () => server.forceShutdown();
  return Object.assign(fake, { address: `127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose });
}

function receive(
  call: Upload,
  fake: Pick<FakeDaemon, 'openMax' | 'received'>,
  state: { open: number; busyOnce: Set<string> },
): void {
  const hash = createHash('sha256');
  let name = '';
  let bytes = 0;
  state.open += 1;
  fake.openMax = Math.max(fake.openMax, state.open);
  call.on('data', ({ payload }) => {
    if (payload.case === 'header') name = payload.value.name;
    if (payload.case === 'chunk') {
      bytes += payload.value.length;
      hash.update(payload.value);
    }
    if (payload.case !== 'commit') return;
    state.open -= 1;
    const digest = hash.digest('hex');
    if (payload.value.sha256 !== digest || payload.value.sizeBytes !== BigInt(bytes)) {
      call.emit('error', toError(status.INVALID_ARGUMENT, 'the commit does not match', 'bad_field'));
    } else if (name.startsWith('bad')) {
      call.emit('error', toError(status.INVALID_ARGUMENT, 'file: the picture is corrupt', 'corrupt'));
    } else if (name.startsWith('busy') && !state.busyOnce.has(name)) {
      state.busyOnce.add(name);
      call.emit('error', toError(status.UNAVAILABLE, 'too busy', 'probe_busy'));
    } else {
      fake.received.set(name, bytes);
      answer(call, name, digest);
    }
  });
}

/** A file named slow… is accepted and never ends. */
function answer(call: Upload, name: string, hash: string): void {
  const fields = {
    identifier: hash,
    hash,
    kind: MediaKind.IMAGE,
    status: Status.NEW,
    name,
    createdAt: timestampFromMs(Date.UTC(2026, 0, 1)),
    progress: { step: 'infer', done: 1, total: 2 },
  };
  const record = create(ClassificationSchema, fields);
  call.write({ update: { case: 'classification', value: record } });
  if (name.startsWith('slow')) return;
  const done = create(ClassificationSchema, {
    ...fields,
    status: Status.DONE,
    hasHeatmap: true,
    heatmapLayers: [HeatmapLayer.ORIGIN],
    verdict: { heuristic: 'balanced', confidence: 0.93, classification: Label.ARTIFICIAL, models: ['m1'] },
    assessment: { state: AssessmentState.INCONCLUSIVE, probability: 0.93 },
    headline: { title: { en: 'Inconclusive' } },
  });
  call.write({ update: { case: 'classification', value: done } });
  call.end();
}

function toError(code: status, details: string, reason: string): object {
  const info = anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason, domain: 'assay' }));
  const metadata = new Metadata();
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message: details, details: [info] }));
  metadata.set('grpc-status-details-bin', Buffer.from(bytes));
  return { code, details, metadata };
}

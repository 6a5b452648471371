/**
 * Submits a file by gRPC and follows it in the same call: `node grpc.ts FILE`.
 * Needs `npm install @grpc/grpc-js @grpc/proto-loader`, and the protos: `curl -O http://127.0.0.1:8480/proto.zip`.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const address = process.env.ASSAY_ADDRESS ?? '127.0.0.1:8481';
const protos = process.env.ASSAY_PROTO ?? `${import.meta.dirname}/../../proto`;
const CHUNK_BYTES = 256 * 1024;

interface Update {
  classification: {
    errors: string;
    progress: { step: string } | null;
    verdict: { classification: string; confidence: number } | null;
    assessment: { state: string } | null;
  };
}

interface Client extends grpc.Client {
  ClassifyMedia(metadata: grpc.Metadata): grpc.ClientDuplexStream<object, Update>;
}

const form = { keepCase: true, enums: String, longs: Number, oneofs: true, defaults: true };
const files = loadSync('assay/v1/classification_service.proto', { includeDirs: [protos], ...form });
const { v1 } = grpc.loadPackageDefinition(files).assay as { v1: grpc.GrpcObject };
const Service = v1.ClassificationService as grpc.ServiceClientConstructor;

const path = process.argv[2];
if (path === undefined) throw new Error('which file? node grpc.ts FILE');
// A daemon with TLS: credentials.createSsl(the certificate of its authority).
const client = new Service(address, grpc.credentials.createInsecure()) as unknown as Client;
const metadata = new grpc.Metadata();
metadata.set('x-api-key', process.env.ASSAY_API_KEY ?? '');
const call = client.ClassifyMedia(metadata);

/** Header, chunks, commit: without the commit the daemon throws away what it got. */
async function send(file: string): Promise<void> {
  call.write({ header: { name: basename(file) } });
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    bytes += chunk.length;
    if (!call.write({ chunk })) await new Promise((resolve) => call.once('drain', resolve));
  }
  call.write({ commit: { size_bytes: bytes } });
  call.end();
}

send(path).catch((error: Error) => call.destroy(error));
for await (const { classification: record } of call) {
  const { progress, verdict, assessment, errors } = record;
  if (errors !== '') throw new Error(errors);
  if (verdict === null) console.log(progress?.step || 'accepted');
  else
    console.log(`${basename(path)}: ${verdict.classification}, ${verdict.confidence}, ${assessment?.state}`);
}
client.close();

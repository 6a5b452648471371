/** One submission over each facade, answered as soon as it is accepted. */
import { credentials, Metadata } from '@grpc/grpc-js';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { TEST_KEY, type TestDaemon } from '../daemon.ts';
import { KEY_HEADERS } from '../faults/rounds/submissions.ts';
import { openServiceClient } from '../service-client.ts';

export type Submit = (daemon: TestDaemon, bytes: Buffer) => Promise<string>;

async function submitByRest({ http }: TestDaemon, bytes: Buffer): Promise<string> {
  const body = new FormData();
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const response = await fetch(`${http}/api/classification`, { method: 'POST', headers: KEY_HEADERS, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`refused: ${response.status} ${text}`);
  return text;
}

async function submitByGraphql({ http }: TestDaemon, bytes: Buffer): Promise<string> {
  const query = `mutation ($input: SubmitMediaInput!) {
    submitMedia(input: $input) { classification { identifier } userErrors { message } } }`;
  const body = new FormData();
  body.set('operations', JSON.stringify({ query, variables: { input: { file: null, kind: 'IMAGE' } } }));
  body.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  body.set('0', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const headers = { ...KEY_HEADERS, 'x-graphql-yoga-csrf': '1' };
  const response = await fetch(`${http}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  const identifier = /"identifier":"([0-9a-f]{64})"/.exec(text)?.[1];
  if (identifier === undefined) throw new Error(`refused: ${response.status} ${text}`);
  return identifier;
}

async function submitByGrpc({ grpc }: TestDaemon, bytes: Buffer): Promise<string> {
  const client = openServiceClient(ClassificationService, grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', TEST_KEY);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = client.submitMedia(metadata, {}, (error, answer) => {
    if (error === null) resolve(answer?.classification?.identifier ?? '');
    else reject(error);
  });
  call.on('error', () => {});
  const sizeBytes = BigInt(bytes.length);
  call.write({
    payload: { case: 'header', value: { name: 'picture.jpg', kind: MediaKind.IMAGE, sizeBytes } },
  });
  call.write({ payload: { case: 'chunk', value: bytes } });
  call.write({ payload: { case: 'commit', value: { sizeBytes } } });
  call.end();
  try {
    return await promise;
  } finally {
    client.close();
  }
}

export const WAYS: readonly { name: string; submit: Submit }[] = [
  { name: 'REST', submit: submitByRest },
  { name: 'GraphQL', submit: submitByGraphql },
  { name: 'gRPC', submit: submitByGrpc },
];

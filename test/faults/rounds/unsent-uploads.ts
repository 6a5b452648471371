/** Uploads of which the client sends the head and then waits: how each way in answers before a byte of the file. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../../src/grpc/gen/assay/v1/media_pb.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { openServiceClient, type ServiceClient } from '../../service-client.ts';
import type { Target } from './slow-clients.ts';

export interface Asker extends Target {
  key: string;
  /** An upload that was begun, for the ways that go on with one. */
  uploadId: string;
}

/** The refusal: a status over HTTP, the reason's name elsewhere. */
export type Refused = { status: number; body: string };

export interface WayIn {
  name: string;
  purpose: 'submit' | 'validate';
  ask(asker: Asker): Promise<Refused>;
}

const FILE_BYTES = 10_000_000;
const FORM = 'multipart/form-data; boundary=cut';

interface Head {
  method: string;
  path: string;
  headers: Record<string, string | number>;
  /** Beginning of the body. */
  begin?: string;
}

async function askByHttp({ url, key }: Asker, { method, path, headers, begin = '' }: Head): Promise<Refused> {
  const asked = request(new URL(path, url), { method, headers: { 'x-api-key': key, ...headers } });
  asked.on('error', () => {});
  asked.flushHeaders();
  if (begin !== '') asked.write(begin);
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const [response] = (await once(asked, 'response', { signal })) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } finally {
    asked.destroy();
  }
}

const field = (name: string, value: string): string =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
/** With the file's first byte: until it comes, the end of the head could as well be the beginning of a boundary. */
const fileHead = (name: string): string =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\n\r\nx`;
const FORM_HEADERS = { 'content-type': FORM, 'content-length': FILE_BYTES };

function byForm(path: string, begin = ''): WayIn['ask'] {
  return (asker) => askByHttp(asker, { method: 'POST', path, headers: FORM_HEADERS, begin });
}

function byGraphql(mutation: 'submitMedia' | 'validateMedia'): WayIn['ask'] {
  const input = mutation === 'submitMedia' ? 'SubmitMediaInput' : 'ValidateMediaInput';
  const query = `mutation ($input: ${input}!) { ${mutation}(input: $input) { userErrors { reason } } }`;
  const operations = JSON.stringify({ query, variables: { input: { kind: 'IMAGE', file: null } } });
  const map = JSON.stringify({ 0: ['variables.input.file'] });
  return byForm('/graphql', field('operations', operations) + field('map', map) + fileHead('0'));
}

type GrpcMethod = 'submitMedia' | 'validateMedia' | 'classifyMedia';

function byGrpc(method: GrpcMethod): WayIn['ask'] {
  return async ({ grpc, key }) => {
    const client = openServiceClient(ClassificationService, grpc, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('x-api-key', key);
    try {
      return await askByGrpc(client, method, metadata);
    } finally {
      client.close();
    }
  };
}

async function askByGrpc(
  client: ServiceClient<typeof ClassificationService>,
  method: GrpcMethod,
  metadata: Metadata,
): Promise<Refused> {
  const { promise, resolve } = Promise.withResolvers<Refused>();
  const settle = (error: Partial<ServiceError> | null): void => {
    const [details] = error?.metadata?.get('grpc-status-details-bin') ?? [];
    resolve({ status: error?.code ?? 0, body: details?.toString('latin1') ?? '' });
  };
  const deadline = Date.now() + PATIENCE_MS;
  const payload = { case: 'header' as const, value: { name: 'a.jpg', kind: MediaKind.IMAGE } };
  if (method === 'classifyMedia') {
    const call = client.classifyMedia(metadata, { deadline });
    call.on('error', settle).on('data', () => {});
    call.write({ payload });
  } else if (method === 'submitMedia') {
    client
      .submitMedia(metadata, { deadline }, settle)
      .on('error', () => {})
      .write({ payload });
  } else {
    client
      .validateMedia(metadata, { deadline }, settle)
      .on('error', () => {})
      .write({ payload });
  }
  return await promise;
}

const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };

export const WAYS_IN: readonly WayIn[] = [
  { name: 'REST', purpose: 'submit', ask: byForm('/api/classification') },
  { name: 'REST, by address', purpose: 'submit', ask: byForm('/api/image_fromurl') },
  {
    name: 'REST, validation',
    purpose: 'validate',
    ask: byForm('/api/validate', field('type', 'image') + fileHead('file')),
  },
  { name: 'GraphQL', purpose: 'submit', ask: byGraphql('submitMedia') },
  { name: 'GraphQL, validation', purpose: 'validate', ask: byGraphql('validateMedia') },
  { name: 'gRPC', purpose: 'submit', ask: byGrpc('submitMedia') },
  { name: 'gRPC, followed', purpose: 'submit', ask: byGrpc('classifyMedia') },
  { name: 'gRPC, validation', purpose: 'validate', ask: byGrpc('validateMedia') },
  {
    name: 'tus',
    purpose: 'submit',
    ask: (asker) =>
      askByHttp(asker, {
        method: 'POST',
        path: '/files',
        headers: {
          ...{ ...TUS, 'upload-length': FILE_BYTES, 'content-length': FILE_BYTES },
          'upload-metadata': `filename ${btoa('a.jpg')},kind ${btoa('image')}`,
        },
      }),
  },
  {
    name: 'tus, a later piece',
    purpose: 'submit',
    ask: (asker) =>
      askByHttp(asker, {
        method: 'PATCH',
        path: `/files/${asker.uploadId}`,
        headers: { ...TUS, 'upload-offset': 0, 'content-length': FILE_BYTES },
      }),
  },
];

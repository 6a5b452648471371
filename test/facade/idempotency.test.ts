import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { ErrorInfoSchema, RetryInfoSchema } from '../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/grpc/gen/google/rpc/status_pb.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { distinctPicture } from '../faults/rounds/submissions.ts';
import { openServiceClient } from '../service-client.ts';

const KEY = { 'x-api-key': TEST_KEY };
let daemon: OpenBox;

before(async () => {
  daemon = await openBox({ models: 'tiny', env: { ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.0/8' } });
});
after(() => daemon[Symbol.asyncDispose]());

interface Request {
  /** Bytes of a picture, or an address. */
  media: Buffer | string;
  requestId: string;
  refId?: string;
}

type Outcome = { identifier: string } | { reason: string; retryAfterSeconds: number };
type Submit = (daemon: OpenBox, request: Request) => Promise<Outcome>;

const REASON_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'bad_field',
  422: 'request_reused',
  429: 'queue_full',
};

const byRest: Submit = async ({ http }, { media, requestId, refId = '' }) => {
  const form = new FormData();
  form.set('ref_id', refId);
  if (typeof media === 'string') form.set('file_url', media);
  else form.set('image', new Blob([new Uint8Array(media)]), 'picture.jpg');
  const path = typeof media === 'string' ? '/api/image_fromurl' : '/api/classification';
  const headers = { ...KEY, 'idempotency-key': requestId };
  const response = await fetch(`${http}${path}`, { method: 'POST', headers, body: form });
  const text = await response.text();
  if (response.ok) return { identifier: text };
  const body = JSON.parse(text);
  if (response.status === 400) ok('Idempotency-Key' in body.error, text);
  else equal(typeof body.message, 'string', text);
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
  return { reason: REASON_OF_STATUS[response.status] ?? text, retryAfterSeconds };
};

const SUBMIT = `mutation ($input: SubmitMediaInput!) { submitMedia(input: $input) {
  classification { identifier } userErrors { reason retryAfterSeconds } } }`;

const byGraphql: Submit = async ({ http }, { media, requestId, refId = '' }) => {
  const isAddress = typeof media === 'string';
  const input = { kind: 'IMAGE', refId, requestId, ...(isAddress ? { fileUrl: media } : { file: null }) };
  const operations = JSON.stringify({ query: SUBMIT, variables: { input } });
  const form = new FormData();
  if (!isAddress) {
    form.set('operations', operations);
    form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
    form.set('0', new Blob([new Uint8Array(media)]), 'picture.jpg');
  }
  const type: Record<string, string> = isAddress ? { 'content-type': 'application/json' } : {};
  const headers = { ...KEY, ...type };
  const response = await fetch(`${http}/graphql`, {
    method: 'POST',
    headers,
    body: isAddress ? operations : form,
  });
  const { data } = (await response.json()) as {
    data: { submitMedia: { classification: { identifier: string }; userErrors: UserError[] } };
  };
  const [fault] = data.submitMedia.userErrors;
  if (fault === undefined) return { identifier: data.submitMedia.classification.identifier };
  return { reason: fault.reason, retryAfterSeconds: fault.retryAfterSeconds ?? 0 };
};

interface UserError {
  reason: string;
  retryAfterSeconds: number | null;
}

const byGrpc: Submit = ({ grpc }, { media, requestId, refId = '' }) => {
  const client = openServiceClient(ClassificationService, grpc, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', TEST_KEY);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const call = client.submitMedia(metadata, {}, (error, answer) => {
    client.close();
    resolve(error === null ? { identifier: answer?.classification?.identifier ?? '' } : faultOf(error));
  });
  const isAddress = typeof media === 'string';
  const header = {
    name: 'picture.jpg',
    kind: MediaKind.IMAGE,
    refId,
    requestId,
    sourceUrl: isAddress ? media : '',
  };
  call.write({ payload: { case: 'header', value: header } });
  if (!isAddress) call.write({ payload: { case: 'chunk', value: media } });
  const sha256 = isAddress ? '' : createHash('sha256').update(media).digest('hex');
  const sizeBytes = isAddress ? 0n : BigInt(media.length);
  call.write({ payload: { case: 'commit', value: { sizeBytes, sha256 } } });
  call.end();
  return promise;
};

function faultOf({ metadata }: ServiceError): Outcome {
  const [bytes] = metadata.get('grpc-status-details-bin');
  ok(bytes instanceof Buffer);
  let reason = '';
  let retryAfterSeconds = 0;
  for (const { typeUrl, value } of fromBinary(StatusSchema, bytes).details) {
    if (typeUrl.endsWith('ErrorInfo')) reason = fromBinary(ErrorInfoSchema, value).reason.toLowerCase();
    if (typeUrl.endsWith('RetryInfo')) {
      retryAfterSeconds = Number(fromBinary(RetryInfoSchema, value).retryDelay?.seconds ?? 0n);
    }
  }
  return { reason, retryAfterSeconds };
}

const FACADES: readonly [name: string, submit: Submit][] = [
  ['REST', byRest],
  ['GraphQL', byGraphql],
  ['gRPC', byGrpc],
];

function identifierOf(outcome: Outcome): string {
  ok('identifier' in outcome, JSON.stringify(outcome));
  match(outcome.identifier, /^[0-9a-f]{64}$/);
  return outcome.identifier;
}

function reasonOf(outcome: Outcome): string {
  return 'reason' in outcome ? outcome.reason : 'accepted';
}

async function listed(): Promise<string[]> {
  const records = await (await fetch(`${daemon.http}/api/classifications`, { headers: KEY })).json();
  return (records as { identifier: string }[]).map(({ identifier }) => identifier);
}

let seed = 1000;
const freshPicture = (): Promise<Buffer> => distinctPicture(seed++, 256);

for (const [name, submit] of FACADES) {
  test(`${name}: the same identifier and content is one record`, async () => {
    const request = { media: await freshPicture(), requestId: randomUUID(), refId: 'desk-7' };
    const before = (await listed()).length;
    const first = identifierOf(await submit(daemon, request));
    equal(identifierOf(await submit(daemon, request)), first);
    const together = await Promise.all(Array.from({ length: 5 }, () => submit(daemon, request)));
    deepEqual(new Set(together.map(identifierOf)), new Set([first]));
    equal((await listed()).length, before + 1);
    const other = { ...request, requestId: randomUUID() };
    notEqual(identifierOf(await submit(daemon, other)), first);
  });

  test(`${name}: duplicates at the same time are one record`, async () => {
    const request = { media: await freshPicture(), requestId: randomUUID() };
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => submit(daemon, request)));
    equal(new Set(outcomes.map(identifierOf)).size, 1);
  });

  test(`${name}: another content under the same identifier is refused`, async () => {
    const request = { media: await freshPicture(), requestId: randomUUID(), refId: 'desk-7' };
    const first = identifierOf(await submit(daemon, request));
    const before = (await listed()).length;
    equal(reasonOf(await submit(daemon, { ...request, media: await freshPicture() })), 'request_reused');
    equal(reasonOf(await submit(daemon, { ...request, refId: 'desk-8' })), 'request_reused');
    equal(
      reasonOf(await submit(daemon, { ...request, media: 'http://127.0.0.1:9/a.jpg' })),
      'request_reused',
    );
    equal((await listed()).length, before);
    equal(identifierOf(await submit(daemon, request)), first);
  });

  test(`${name}: an address, too`, async () => {
    const request = { media: 'http://127.0.0.1:9/a.jpg', requestId: randomUUID() };
    const first = identifierOf(await submit(daemon, request));
    equal(identifierOf(await submit(daemon, request)), first);
    const other = { ...request, media: 'http://127.0.0.1:9/b.jpg' };
    equal(reasonOf(await submit(daemon, other)), 'request_reused');
  });

  test(`${name}: an identifier that is too long is refused`, async () => {
    const request = { media: await freshPicture(), requestId: 'x'.repeat(129) };
    equal(reasonOf(await submit(daemon, request)), 'bad_field');
  });
}

test('one identifier is one record across facades', async () => {
  const request = { media: await freshPicture(), requestId: randomUUID(), refId: 'desk-7' };
  const identifiers = new Set<string>();
  for (const [, submit] of FACADES) identifiers.add(identifierOf(await submit(daemon, request)));
  equal(identifiers.size, 1);
});

test('a full queue says when to come back, by every facade', async () => {
  const env = { ASSAY_QUEUE_MAX: '1', ASSAY_QUEUE_RUNNING_MAX: '1' };
  await using narrow = await openBox({ models: 'tiny', env });
  for (const [name, submit] of FACADES) {
    const pictures = await Promise.all(Array.from({ length: 8 }, freshPicture));
    const outcomes = await Promise.all(
      pictures.map((media) => submit(narrow, { media, requestId: randomUUID() })),
    );
    const refused = outcomes.filter((outcome) => 'reason' in outcome);
    ok(refused.length > 0, name);
    for (const { reason, retryAfterSeconds } of refused)
      deepEqual([reason, retryAfterSeconds], ['queue_full', 10]);
  }
});

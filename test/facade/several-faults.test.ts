import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { credentials } from '@grpc/grpc-js';
import { createKey } from '../../src/app/accounts/keys.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { type KeyFrameMethod, MediaKind, type Priority } from '../../src/grpc/gen/assay/v1/media_pb.ts';
import { BadRequestSchema } from '../../src/grpc/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/grpc/gen/google/rpc/status_pb.ts';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { GraphqlCaller } from './graphql-caller.ts';

const LONG = 'x'.repeat(257);
const ADDRESS = 'http://127.0.0.1:9/clip.mp4';
const BAD_ADDRESS = 'ftp://example.org/';

let open: ServedApp;
let key: string;

before(async () => {
  open = await openServedApp({ ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.0/8' });
  ({ secret: key } = await createKey(open.app, { principal: open.admin, userId: 1, name: 'test' }));
});
after(() => open[Symbol.asyncDispose]());

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test names the fields that it expects
  body: any;
}

async function post(path: string, fields: Record<string, string | Blob>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await fetch(open.url + path, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

const FAULTS = {
  frames: '7',
  key_frames: 'maybe',
  key_frames_method: 'best',
  with_audio: 'loud',
  ref_id: LONG,
  webhook_url: BAD_ADDRESS,
};

test('REST: an address with bad options is 400 with every field, the address among them', async () => {
  const { status, body } = await post('/api/video_fromurl', { ...FAULTS, file_url: 'file:///etc/passwd' });
  equal(status, 400);
  deepEqual(Object.keys(body.error).sort(), [...Object.keys(FAULTS), 'file_url'].sort());
  deepEqual(body.error.frames, ['expected 5, 10 or 30, found "7"']);
  deepEqual(body.error.file_url, ['expected http or https, found file']);
});

test('REST: a missing file and bad options are reported together', async () => {
  const { status, body } = await post('/api/classification_video', FAULTS);
  deepEqual([status, Object.keys(body.error).sort()], [400, [...Object.keys(FAULTS), 'video'].sort()]);
});

test('REST: a file with bad options is 400 with every field before it is looked at', async () => {
  const fields = {
    image: new Blob(['just a letter']),
    with_heatmap: 'maybe',
    no_cache: 'perhaps',
    frames: '7',
  };
  const { status, body } = await post('/api/classification', fields);
  // Frames are no option of a picture.
  deepEqual([status, Object.keys(body.error).sort()], [400, ['no_cache', 'with_heatmap']]);
});

test('REST: one fault keeps its own words', async () => {
  const { status, body } = await post('/api/video_fromurl', { file_url: ADDRESS, frames: '7' });
  deepEqual([status, body], [400, { error: { frames: ['expected 5, 10 or 30, found "7"'] } }]);
});

test('REST: a validation names its options beside a missing file', async () => {
  const { status, body } = await post('/api/validate', {
    type: 'image',
    with_nsfw: 'x',
    with_tampering: 'y',
  });
  deepEqual([status, Object.keys(body.error).sort()], [400, ['file', 'with_nsfw', 'with_tampering']]);
});

test('GraphQL: each field at fault is a user error of its own', async () => {
  const caller = new GraphqlCaller(open.url, key);
  const input = {
    ...{ kind: 'VIDEO', fileUrl: ADDRESS, refId: LONG, requestId: LONG, webhookUrl: BAD_ADDRESS },
    options: { frames: 7 },
  };
  const { submitMedia } = await caller.read(
    `mutation ($input: SubmitMediaInput!) { submitMedia(input: $input) {
      classification { identifier } userErrors { code reason field message } } }`,
    { input },
  );
  equal(submitMedia.classification, null);
  const named = submitMedia.userErrors.map(({ field }: { field: string }) => field);
  deepEqual(named.sort(), ['frames', 'refId', 'requestId', 'webhookUrl']);
  ok(submitMedia.userErrors.every(({ code }: { code: string }) => code === 'INVALID_ARGUMENT'));
});

test('gRPC: each field at fault is a violation with its path, unlisted numbers of enums too', async () => {
  using client = new AssayClient(
    { address: open.daemon.grpc.address, credentials: credentials.createInsecure() },
    key,
  );
  const { call, answer } = client.openUpload(ClassificationService.method.submitMedia);
  const header = {
    ...{ name: 'clip.mp4', kind: MediaKind.VIDEO, sourceUrl: ADDRESS, refId: LONG, webhookUrl: BAD_ADDRESS },
    options: { frames: 7, keyFramesMethod: 77 as KeyFrameMethod },
    priority: 99 as Priority,
  };
  call.write({ payload: { case: 'header', value: header } });
  call.write({ payload: { case: 'commit', value: {} } });
  call.end();
  const error: unknown = await answer.catch((thrown: unknown) => thrown);
  const cause = error instanceof Error ? (error.cause as GrpcError) : undefined;
  ok(cause !== undefined, 'the submission was taken');
  const fields = violationsOf(cause).map(({ field }) => field);
  deepEqual(fields.sort(), [
    'header.options.frames',
    'header.options.key_frames_method',
    'header.priority',
    'header.ref_id',
    'header.webhook_url',
  ]);
  match(
    cause.details,
    /^header\.options\.frames: .*; header\.options\.key_frames_method: .*; header\.ref_id: /,
  );
});

interface GrpcError {
  details: string;
  metadata: { get(key: string): (string | Buffer)[] };
}

function violationsOf({ metadata }: GrpcError): { field: string }[] {
  const [bytes] = metadata.get('grpc-status-details-bin');
  ok(bytes instanceof Uint8Array);
  const { details } = fromBinary(StatusSchema, bytes);
  return details.flatMap((any) => anyUnpack(any, BadRequestSchema)?.fieldViolations ?? []);
}

test('tus: the sentence of a refused upload names every field, before a byte of the file', async () => {
  const fields = {
    filename: 'clip.mp4',
    kind: 'video',
    frames: '7',
    with_audio: 'loud',
    webhook_url: BAD_ADDRESS,
  };
  const metadata = Object.entries(fields).map(([name, value]) => `${name} ${btoa(value)}`);
  const response = await fetch(`${open.url}/files`, {
    method: 'POST',
    headers: {
      ...{ 'x-api-key': key, 'tus-resumable': '1.0.0', 'upload-length': '1000' },
      'upload-metadata': metadata.join(','),
    },
  });
  equal(response.status, 400);
  const { error } = (await response.json()) as { error: string };
  for (const field of ['frames', 'with_audio', 'webhook_url']) match(error, new RegExp(`(^|; )${field}: `));
});

import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { createKey, revokeKey } from '../../src/app/accounts/keys.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { serveReflection } from '../../src/facade/grpc/reflection.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import {
  type KeyFrameMethod,
  type MediaHeaderSchema,
  MediaKind,
  type Priority,
} from '../../src/grpc/gen/assay/v1/media_pb.ts';
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

const INSECURE = credentials.createInsecure();
const { submitMedia } = ClassificationService.method;
type Payload = NonNullable<MessageInitShape<typeof submitMedia.input>['payload']>;

const openClient = () => new AssayClient({ address: open.daemon.grpc.address, credentials: INSECURE }, key);

async function refusal(client: AssayClient, payloads: readonly Payload[]): Promise<GrpcError> {
  const { call, answer } = client.openUpload(submitMedia);
  for (const payload of payloads) call.write({ payload });
  call.end();
  const error: unknown = await answer.catch((thrown: unknown) => thrown);
  ok(error instanceof Error, 'the submission was taken');
  return error.cause as GrpcError;
}

test('gRPC: each field at fault is a violation with its path, unlisted numbers of enums too', async () => {
  using client = openClient();
  const header = {
    ...{ name: 'clip.mp4', kind: MediaKind.VIDEO, sourceUrl: ADDRESS, refId: LONG, webhookUrl: BAD_ADDRESS },
    options: { frames: 7, keyFramesMethod: 77 as KeyFrameMethod },
    priority: 99 as Priority,
  };
  const cause = await refusal(client, [
    { case: 'header', value: header },
    { case: 'commit', value: {} },
  ]);
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

const CHUNK: Payload = { case: 'chunk', value: Buffer.from('abc') };
const EMPTY: Payload = { case: undefined };
const UPLOAD = { uploadId: 'a'.repeat(32), sizeBytes: 10n };

function header(value: MessageInitShape<typeof MediaHeaderSchema> = {}): Payload {
  return { case: 'header', value: { kind: MediaKind.IMAGE, name: 'a.png', ...value } };
}

const commit = (sizeBytes: bigint): Payload => ({ case: 'commit', value: { sizeBytes } });

/** In their order: the last two are of an upload that the one before them began. */
const STREAMS: readonly (readonly [payloads: readonly Payload[], details: RegExp])[] = [
  [[], /^header: expected the header as the first message, found the end of the stream$/],
  [[CHUNK], /^header: expected the header as the first message, found a chunk$/],
  [[EMPTY], /^header: expected the header as the first message, found an empty message$/],
  [[header(), header()], /^header: expected one header, found another$/],
  [[header(), EMPTY], /^payload: expected a chunk or the commit, found an empty message$/],
  [[header(), CHUNK], /^commit: expected a commit before the end of the stream, found none$/],
  [[header(), CHUNK, commit(3n), CHUNK], /^chunk: expected nothing after the commit, found a chunk$/],
  [[header({ sourceUrl: ADDRESS }), CHUNK], /expected no chunk beside header\.source_url$/],
  [[header({ offset: 5n })], /^header\.offset: expected 0 without header\.upload_id, found 5$/],
  [[header({ sha256: 'abc' })], /^header\.sha256: expected 64 hex characters$/],
  [[header({ sizeBytes: 2n ** 50n })], /^the file has 1125899906842624 bytes, the maximum is \d+ bytes$/],
  [[header({ sizeBytes: 4n }), CHUNK, commit(3n)], /^header\.size_bytes: stated 4 bytes, received 3$/],
  [[header(), CHUNK, commit(4n)], /^commit\.size_bytes: stated 4 bytes, received 3$/],
  [[header(UPLOAD), CHUNK], /^commit: expected a commit before the end of the stream, found none$/],
  [
    [header({ ...UPLOAD, offset: 2n })],
    /^header\.offset: expected 3, the committed bytes, or 0 .*, found 2$/,
  ],
  [
    [header({ ...UPLOAD, offset: 3n, sizeBytes: 11n })],
    /^header\.size_bytes: expected 10 as announced before, found 11$/,
  ],
];

test('gRPC: a stream out of order is refused with what was expected in its place', async () => {
  using client = openClient();
  for (const [payloads, details] of STREAMS) match((await refusal(client, payloads)).details, details);
  equal(open.app.store.read.records.list({ accountId: 1, limit: 1 }).length, 0);
});

/** Off loopback, as this server behaves, the interface is described to callers of the box only. */
test('gRPC: reflection answers a key, and ends with its standing', async () => {
  const server = new Server();
  serveReflection(server, open.app, [ClassificationService], { credential: true });
  const port = await promisify(server.bindAsync.bind(server))(
    '127.0.0.1:0',
    ServerCredentials.createInsecure(),
  );
  const client = new Client(`127.0.0.1:${port}`, INSECURE);
  const made = await createKey(open.app, { principal: open.admin, userId: 1, name: 'short' });
  const ask = (secret: string) => {
    const metadata = new Metadata();
    metadata.set('x-api-key', secret);
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const call = client.makeBidiStreamRequest(
      path,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      metadata,
    );
    // `list_services`, field 7, with an empty text.
    call.write(Buffer.of(0x3a, 0));
    return call;
  };
  try {
    await rejects(once(ask('wrong'), 'data'), { code: status.UNAUTHENTICATED });
    const call = ask(made.secret);
    const [answer] = await once(call, 'data');
    match(String(answer), /assay\.v1\.ClassificationService/);
    const ended = rejects(once(call, 'end'), { code: status.UNAUTHENTICATED });
    await revokeKey(open.app, { principal: open.admin, id: made.key.id });
    await ended;
  } finally {
    client.close();
    server.forceShutdown();
  }
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

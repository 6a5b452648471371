import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { exportEvidence } from '../../../src/app/evidence/export-evidence.ts';
import { deleteClassification, getClassification } from '../../../src/app/records/classifications.ts';
import { Retention } from '../../../src/app/records/retention.ts';
import { setTrustListOn } from '../../../src/app/trust/trust-lists.ts';
import type { ImageRecord } from '../../../src/domain/answers/record.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../../src/domain/provenance/outer-manifest.ts';
import { judgePackage } from '../../../src/evidence/judge-package.ts';
import { SETTING_LIST } from '../../../src/machinery/trust/trust-lists.ts';
import { makeIdentity } from '../../certificates.ts';
import { runCommand } from '../../cli/run-command.ts';
import { until } from '../../faults/rounds/submissions.ts';
import { openService, type Service } from '../../interface/service.ts';
import { patternImage } from '../../media/pictures.ts';
import { makeSigner, signMedia } from '../../signed-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';

const NEVER = new AbortController().signal;
const authority = makeIdentity({ name: 'Desk authority' });
const signer = makeSigner(authority);

let place: TemporaryFolder;
let service: Service;
let origin = '';
let key = '';
/** The files on the host of remote manifests, by path. */
const shelf = new Map<string, Buffer>();
const asked: string[] = [];
const server = createServer((request, response) => {
  const { url = '' } = request;
  asked.push(url);
  const found = shelf.get(url);
  if (url === '/away') response.writeHead(302, { location: 'http://localhost:1/other.c2pa' }).end();
  else if (found === undefined) response.writeHead(404).end();
  else response.end(found);
});

before(async () => {
  place = await makeTemporaryFolder();
  await writeFile(join(place.path, 'desk.pem'), authority.cert);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await openService({
    ASSAY_PROVENANCE_MANIFEST_HOSTS: '127.0.0.1',
    ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: join(place.path, 'desk.pem'),
  });
  key = service.open.daemon.newKey ?? '';
});
after(async () => {
  await service[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await place[Symbol.asyncDispose]();
});

let seed = 0;
/** Makes a picture that no other test has. */
async function picture(): Promise<Buffer> {
  seed += 1;
  return await patternImage(320, 240 + seed)
    .jpeg()
    .toBuffer();
}

/** A picture without a manifest, and its manifest. */
async function apart(source?: Buffer): Promise<{ file: Buffer; manifest: Buffer }> {
  const change = (builder: { setNoEmbed(value: boolean): void }) => builder.setNoEmbed(true);
  return await signMedia({ source: source ?? (await picture()), change }, { signer });
}

/** A picture that names a manifest at an address. */
async function remote(url: string): Promise<{ file: Buffer; manifest: Buffer }> {
  return await signMedia(
    {
      source: await picture(),
      change: (builder) => {
        builder.setNoEmbed(true);
        builder.setRemoteUrl(url);
      },
    },
    { signer },
  );
}

const target = () => ({ address: service.grpc, key });

async function put(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(place.path, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

async function classify(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return await runCommand(target(), ['classify', '--json', ...args]);
}

async function recordOf(...args: string[]): Promise<ImageRecord> {
  const { out, err } = await classify(...args);
  const [line = ''] = out.trim().split('\n');
  const { identifier = '' } = JSON.parse(line) as { identifier?: string };
  ok(identifier !== '', `${out}${err}`);
  return read(identifier);
}

function read(identifier: string): ImageRecord {
  const { app, admin } = service.open;
  return getClassification(app, { principal: admin, identifier }) as ImageRecord;
}

function analysisOf(identifier: string): string {
  return service.open.app.store.read.records.get(identifier)?.analysisId ?? '';
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('the command line sends the named manifest, which is read, trusted, kept and in the package', async () => {
  const { file, manifest } = await apart();
  const media = await put('a/named.jpg', file);
  const beside = await put('elsewhere/desk.c2pa', manifest);
  const record = await recordOf(media, '--manifest', beside);
  const { provenance, identifier } = record;
  equal(provenance?.readings?.state, 'trusted');
  equal(provenance?.source, 'sidecar');
  const sha256 = hashOf(manifest);
  deepEqual(provenance?.outer, { source: 'sidecar', outcome: 'read', host: '', sha256, reason: '' });
  ok(record.c2pa !== null, 'the documented object has it as well');
  const { app, admin } = service.open;
  const input = { principal: admin, identifiers: [identifier], fields: {} };
  const { name, bytes } = await exportEvidence(app, input, NEVER);
  const path = join(place.path, name);
  const zip = await buffer(Readable.from(bytes));
  await writeFile(path, zip);
  deepEqual((await judgePackage({ path, fingerprints: [] })).faults, []);
  ok(zip.includes('data/manifest/named.jpg.c2pa'), 'the package holds the manifest');
});

test('a manifest of the same name is found; a name that two files share means neither', async () => {
  const { file, manifest } = await apart();
  const media = await put('b/found.jpg', file);
  await put('b/found.c2pa', manifest);
  equal((await recordOf(media)).provenance?.source, 'sidecar');
  const twin = await apart();
  const shared = await put('c/twin.jpg', twin.file);
  await put('c/twin.c2pa', twin.manifest);
  await put('c/twin.dng', twin.file);
  equal((await recordOf(shared)).provenance?.source, null);
  await put('c/twin.jpg.c2pa', twin.manifest);
  equal((await recordOf(shared)).provenance?.source, 'sidecar');
});

test('the manifest within the file counts before it, and the record says so', async () => {
  const { file } = await signMedia({ source: await picture() }, { signer });
  const media = await put('d/within.jpg', file);
  const beside = await put('d/other', (await apart()).manifest);
  const { provenance } = await recordOf(media, '--manifest', beside);
  equal(provenance?.source, 'embedded');
  equal(provenance?.outer?.outcome, 'embedded_speaks');
  equal(provenance?.readings?.unchanged, 'yes');
});

test('a manifest of another file reads as changed; a damaged one is reported as unreadable', async () => {
  const { file, manifest } = await apart();
  const media = await put('e/picture.jpg', file);
  const other = await put('e/other', (await apart()).manifest);
  equal((await recordOf(media, '--manifest', other)).provenance?.readings?.state, 'broken');
  const half = await put('e/half', manifest.subarray(0, 400));
  const { provenance, status } = await recordOf(media, '--manifest', half);
  equal(status, 'done');
  equal(provenance?.outer?.outcome, 'unreadable');
  match(provenance?.fault ?? '', /cannot be read/);
  match(provenance?.sentence?.en ?? '', /^The manifest beside the file cannot be read/);
});

test('a file that is no manifest, empty or too large is refused with a sentence', async () => {
  const media = await put('f/picture.jpg', await picture());
  const text = await put('f/text', Buffer.from('this is no manifest'));
  const refused = await classify(media, '--manifest', text);
  equal(refused.code, 1);
  match(refused.err, /manifest: expected a C2PA manifest store \(a \.c2pa file\), found 19 bytes/);
  const large = await put('f/large', Buffer.alloc(OUTER_MANIFEST_BYTES_MAX + 1));
  match((await classify(media, '--manifest', large)).err, /expected a manifest of 1 to 2097152 bytes/);
  match((await classify(media, '--manifest', join(place.path, 'none'))).err, /cannot be read \(ENOENT\)/);
  equal((await classify(media, media, '--manifest', text)).code, 2);
});

test('the same file with another manifest is other work; with the same one it is known', async () => {
  const { file, manifest } = await apart();
  const media = await put('g/picture.jpg', file);
  const beside = await put('g/manifest', manifest);
  const plain = await recordOf(media);
  const first = await recordOf(media, '--manifest', beside);
  const again = await recordOf(media, '--manifest', beside);
  equal(plain.provenance?.source, null);
  ok(analysisOf(first.identifier) !== analysisOf(plain.identifier));
  equal(analysisOf(again.identifier), analysisOf(first.identifier));
});

test('GraphQL takes the manifest before the file, and a request identifier stands for both', async () => {
  const { file, manifest } = await apart();
  const first = await submitByGraphql(file, manifest, 'request-1');
  equal((await ended(first)).provenance?.source, 'sidecar');
  equal(await submitByGraphql(file, manifest, 'request-1'), first);
  const reused = await submitByGraphql(file, (await apart()).manifest, 'request-1');
  match(reused, /used before with another content/);
  match(await submitByGraphql(file, Buffer.from('none'), 'request-2'), /expected a C2PA manifest store/);
  const large = Buffer.alloc(OUTER_MANIFEST_BYTES_MAX + 1);
  match(await submitByGraphql(file, large, 'request-3'), /the maximum is 2097152 bytes/);
});

test('an outer manifest goes with its last record, and with the media under a retention', async () => {
  const { file, manifest } = await apart();
  const media = await put('h/picture.jpg', file);
  const beside = await put('h/manifest', manifest);
  const { app, admin } = service.open;
  const one = await recordOf(media, '--manifest', beside);
  const two = await recordOf(media, '--manifest', beside);
  const analysisId = analysisOf(one.identifier);
  await deleteClassification(app, { principal: admin, identifier: one.identifier });
  ok(app.store.read.outerManifests.has(analysisId), 'another record has it');
  await deleteClassification(app, { principal: admin, identifier: two.identifier });
  equal(app.store.read.outerManifests.has(analysisId), false);

  const kept = await recordOf(media, '--manifest', beside);
  const plan = app.store.read.accounts.plans.get(admin.account.planId);
  ok(plan !== undefined);
  await app.store.transact((tx) => tx.accounts.putPlan({ ...plan, zeroRetention: true }));
  try {
    await using retention = new Retention(app, { intervalMs: 3_600_000 });
    await retention.sweep();
    equal(app.store.read.outerManifests.has(analysisOf(kept.identifier)), false);
    equal(read(kept.identifier).provenance?.source, 'sidecar', 'what was read of it stays');
  } finally {
    await app.store.transact((tx) => tx.accounts.putPlan(plan));
  }
  const back = await recordOf(media, '--manifest', beside);
  ok(app.store.read.outerManifests.has(analysisOf(back.identifier)), 'sent again, kept again');
});

async function ended(identifier: string): Promise<ImageRecord> {
  await until(() => read(identifier).status !== 'new', 'the end');
  return read(identifier);
}

/** The identifier, or the refusal. */
async function submitByGraphql(file: Buffer, manifest: Buffer, requestId: string): Promise<string> {
  const query =
    'mutation ($input: SubmitMediaInput!) { submitMedia(input: $input) { classification { identifier } userErrors { message } } }';
  const body = new FormData();
  const variables = { input: { file: null, manifest: null, requestId } };
  body.set('operations', JSON.stringify({ query, variables }));
  body.set('map', JSON.stringify({ m: ['variables.input.manifest'], f: ['variables.input.file'] }));
  body.set('m', new Blob([Uint8Array.from(manifest)]), 'picture.c2pa');
  body.set('f', new Blob([Uint8Array.from(file)]), 'picture.jpg');
  const headers = { 'x-api-key': key, 'graphql-preflight': '1' };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  const identifier = /"identifier":"([0-9a-f]+)"/.exec(text)?.[1];
  return identifier ?? text;
}

test('a remote manifest is fetched from an allowed host, read and kept', async () => {
  const { file, manifest } = await remote(`${origin}/ok.c2pa`);
  shelf.set('/ok.c2pa', manifest);
  const { provenance, identifier } = await recordOf(await put('r/ok.jpg', file));
  equal(provenance?.source, 'remote');
  equal(provenance?.readings?.state, 'trusted');
  equal(provenance?.remoteManifestUrl, `${origin}/ok.c2pa`);
  equal(provenance?.outer?.outcome, 'read');
  equal(provenance?.outer?.host, new URL(origin).host);
  ok(service.open.app.store.read.outerManifests.has(analysisOf(identifier)));
});

const REFUSED: [string, () => string, string, RegExp][] = [
  [
    'a host that is not allowed',
    () => 'http://manifests.example.org/a.c2pa',
    'host_not_allowed',
    /^The remote manifest at manifests\.example\.org was not fetched: the host is not allowed/,
  ],
  ['a redirect to another host', () => `${origin}/away`, 'host_not_allowed', /not allowed/],
  ['nothing there', () => `${origin}/missing`, 'not_fetched', /answered with status 404/],
  ['too many bytes', () => `${origin}/large`, 'not_fetched', /more than 2097152 bytes/],
  ['no manifest there', () => `${origin}/text`, 'no_manifest', /is no manifest/],
];
for (const [name, address, outcome, sentence] of REFUSED) {
  test(`${name}: the record is done and says so`, async () => {
    shelf.set('/large', Buffer.alloc(OUTER_MANIFEST_BYTES_MAX + 1));
    shelf.set('/text', Buffer.from('x'.repeat(100)));
    const { file } = await remote(address());
    const { provenance, status } = await recordOf(await put(`r/${outcome}-${seed}.jpg`, file));
    deepEqual([status, provenance?.readings, provenance?.outer?.outcome], ['done', null, outcome]);
    match(provenance?.sentence?.en ?? '', sentence);
  });
}

test('a manifest beside the file is taken instead, and no host is asked', async () => {
  const { file, manifest } = await remote(`${origin}/never.c2pa`);
  const media = await put('r/beside.jpg', file);
  const { provenance } = await recordOf(media, '--manifest', await put('r/m', manifest));
  equal(provenance?.source, 'sidecar');
  equal(asked.includes('/never.c2pa'), false);
});

test('a recheck reads the kept manifests anew under other lists', async () => {
  const { file, manifest } = await apart();
  const media = await put('t/picture.jpg', file);
  const { identifier } = await recordOf(media, '--manifest', await put('t/manifest', manifest));
  equal(read(identifier).provenance?.readings?.state, 'trusted');
  const { app, admin } = service.open;
  await setTrustListOn(app, { principal: admin, id: SETTING_LIST, isOn: false });
  await app.trustRechecks.begin(admin);
  await app.trustRechecks.settled();
  const { provenance } = read(identifier);
  deepEqual([provenance?.source, provenance?.readings?.state], ['sidecar', 'intact']);
  equal(provenance?.outer?.outcome, 'read');
});

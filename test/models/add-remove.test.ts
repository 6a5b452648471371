import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { makeIdentity } from '../certificates.ts';
import { linesOf, type Outcome, runCommand } from '../cli/run-command.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { putTogether, takeApart } from '../evidence/made-package.ts';
import { COARSE_MODEL, FINE_MODEL, writeTinyPacks } from '../interface/packs.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { writeEntry } from './added-models.ts';
import { TINY_SPEECH_ID } from './tiny-speech-pack.ts';

let folder: TemporaryFolder;
let daemon: TestDaemon;

/** The daemon begins with one model; the other lies outside, to be added. */
before(async () => {
  folder = await makeTemporaryFolder();
  await writeTinyPacks(join(folder.path, 'packs'));
  await mkdir(join(folder.path, 'outside'));
  await rename(join(folder.path, 'packs', FINE_MODEL.id), join(folder.path, 'outside', FINE_MODEL.id));
  await rename(join(folder.path, 'packs', TINY_SPEECH_ID), join(folder.path, 'outside', TINY_SPEECH_ID));
  await mkdir(join(folder.path, 'data'));
  await writeFile(join(folder.path, 'ca.pem'), authority.cert);
  daemon = await TestDaemon.start({
    folder: join(folder.path, 'data'),
    env: {
      ASSAY_MODELS_FOLDERS: join(folder.path, 'packs'),
      ...{ ASSAY_FETCH_ALLOW_NETWORKS: '127.0.0.0/8', ASSAY_DECODE_SLOTS: '1' },
      NODE_EXTRA_CA_CERTS: join(folder.path, 'ca.pem'),
    },
  });
});
after(async () => {
  await daemon[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const authority = makeIdentity({ name: 'Test authority' });

function assay(...argv: string[]): Promise<Outcome> {
  return runCommand({ address: daemon.grpc, key: TEST_KEY }, argv);
}

async function modelsInService(): Promise<string[]> {
  const models = linesOf(await assay('models', 'list', '--json'));
  return models.filter(({ fault }) => fault === '').map(({ id }) => String(id));
}

async function classify(brightness: number): Promise<Record<string, unknown>> {
  const path = join(folder.path, `${brightness}.png`);
  const rgb = Buffer.from(patternRgb(400, 400).map((level) => Math.min(255, brightness + level / 8)));
  await sharp(rgb, { raw: { width: 400, height: 400, channels: 3 } })
    .png()
    .toFile(path);
  const [record] = linesOf(await assay('classify', path, '--json', '--no-cache'));
  assert.ok(record !== undefined);
  return record;
}

function answersOf(record: Record<string, unknown>): string[] {
  return (record.results as { model: string; unknown: boolean }[])
    .filter(({ unknown }) => !unknown)
    .map(({ model }) => model);
}

/** They lie there too. */
const MADE_FROM_NPM_PACKAGES = ['nsfw', 'face-detector', 'assay-faces'];

async function addedFolders(): Promise<string[]> {
  const names = await readdir(join(folder.path, 'data', 'models'));
  return names.filter((name) => !MADE_FROM_NPM_PACKAGES.includes(name));
}

const pathOf = (id: string) => join(folder.path, 'data', 'models', id);

test('a folder becomes a model that answers at once, and is removed again', async () => {
  assert.deepEqual(answersOf(await classify(200)), [COARSE_MODEL.id]);
  const added = await assay('models', 'add', join(folder.path, 'outside', FINE_MODEL.id));
  assert.equal(added.out, `${FINE_MODEL.id}@1.0.0 is in service\n`, added.err);
  assert.deepEqual(answersOf(await classify(200)).sort(), [COARSE_MODEL.id, FINE_MODEL.id]);
  assert.deepEqual((await readdir(pathOf(FINE_MODEL.id))).sort(), ['CARD.md', 'model.json', 'model.onnx']);

  const twice = await assay('models', 'add', join(folder.path, 'outside', FINE_MODEL.id));
  assert.match(twice.err, /tiny-fine 1\.0\.0 is installed in .*; remove it first/);
  assert.equal(twice.code, 1);

  assert.equal((await assay('models', 'remove', FINE_MODEL.id)).out, 'tiny-fine is removed\n');
  assert.deepEqual(answersOf(await classify(200)), [COARSE_MODEL.id]);
  assert.deepEqual(await addedFolders(), []);
  const log = (await assay('audit', '--json')).out;
  assert.match(log, /model\.add/);
  assert.match(log, /model\.remove/);
});

test('a speech model of a folder is added like any other', async () => {
  const added = await assay('models', 'add', join(folder.path, 'outside', TINY_SPEECH_ID));
  assert.equal(added.out, `${TINY_SPEECH_ID}@1.0.0 is in service\n`, added.err);
  assert.ok((await modelsInService()).includes(TINY_SPEECH_ID));
  const [verified] = linesOf(await assay('models', 'verify', '--json')).filter(
    ({ id }) => id === TINY_SPEECH_ID,
  );
  assert.deepEqual([verified?.in_service, verified?.fault], [true, '']);
  const removed = linesOf(await assay('models', 'remove', TINY_SPEECH_ID, '--json'));
  assert.deepEqual(removed, [{ id: TINY_SPEECH_ID, removed: true }]);
});

test('a folder that is no model leaves nothing and says why', async () => {
  const broken = join(folder.path, 'broken');
  await mkdir(broken);
  assert.match((await assay('models', 'add', broken)).err, /expected the files of a pack, found none/);
  const described = JSON.parse(
    await readFile(join(folder.path, 'outside', FINE_MODEL.id, 'model.json'), 'utf8'),
  );
  await writeFile(join(broken, 'model.json'), JSON.stringify(described));
  await writeFile(join(broken, 'model.onnx'), 'no model');
  assert.match(
    (await assay('models', 'add', broken)).err,
    /not the file that model\.json describes \(SHA-256\)/,
  );
  const model = await readFile(join(folder.path, 'outside', FINE_MODEL.id, 'model.onnx'));
  await writeFile(join(broken, 'model.onnx'), model);
  const golden = { ...described.golden, expected: [9, 9, 9] };
  await writeFile(join(broken, 'model.json'), JSON.stringify({ ...described, golden }));
  assert.match((await assay('models', 'add', broken)).err, /the golden outputs differ by/);
  await writeFile(join(broken, 'model.json'), JSON.stringify({ ...described, id: '../up' }));
  assert.match((await assay('models', 'add', broken)).err, /model\.json: id: expected small letters/);
  assert.match(
    (await assay('models', 'remove', COARSE_MODEL.id)).err,
    /tiny-coarse was not added: it lies in/,
  );
  assert.match((await assay('models', 'remove', 'nobody')).err, /no such model: nobody/);
  assert.match(
    (await assay('models', 'add', 'nobody')).err,
    /expected one of the catalogue \(.*sieve.*\), found "nobody"/,
  );
  assert.deepEqual(await addedFolders(), []);
  assert.ok((await modelsInService()).includes(COARSE_MODEL.id));
});

test('a model of the catalogue from a file: scaled views, recorded outputs, a weight from the stated figures', async () => {
  const address = 'https://127.0.0.1:1/nowhere';
  const { model } = await writeEntry(daemon.folder, { name: 'made-by-hand', address });
  const path = join(folder.path, 'by-hand.onnx');
  await writeFile(path, 'another file');
  assert.match(
    (await assay('models', 'add', 'made-by-hand', '--file', path)).err,
    /expected a file with SHA-256/,
  );
  await writeFile(path, model);
  const before = await classify(200);
  const added = await assay('models', 'add', 'made-by-hand', '--file', path);
  assert.equal(added.out, 'made-by-hand@0.10.0 is in service\n', added.err);
  const described = JSON.parse(await readFile(join(pathOf('made-by-hand'), 'model.json'), 'utf8'));
  assert.equal(described.decision.weight, 1.98);
  assert.ok(described.golden.expected.some((value: number) => value !== 0));
  assert.match(await readFile(join(pathOf('made-by-hand'), 'CARD.md'), 'utf8'), /36,384 unseen images/);
  assert.ok(answersOf(await classify(200)).includes('made-by-hand'));

  const rescored = linesOf(await assay('models', 'rescore', '--all', '--json'));
  const again = rescored.find(({ identifier }) => identifier === before.identifier);
  assert.ok(again !== undefined && again.error === '');
  assert.notEqual(
    (again.after as { probability: number }).probability,
    (again.before as { probability: number }).probability,
  );
  const kept = linesOf(await assay('get', String(before.identifier), '--json'))[0];
  assert.deepEqual(kept?.results, before.results);

  await assertRescoreDocument(String(before.identifier));

  const bench = await assay('models', 'bench');
  assert.match(bench.out, /made-by-hand 0\.10\.0 +│ cpu +│ +\d+\.\d/);
  await assay('models', 'remove', 'made-by-hand');
});

/** The same as a document: signed as packages are, with what would change and why. */
async function assertRescoreDocument(identifier: string): Promise<void> {
  const path = join(folder.path, 'rescore.zip');
  const written = await assay('models', 'rescore', '--all', '--document', path, '--language', 'it');
  assert.equal(written.code, 0, written.err);
  const [present] = linesOf(await assay('evidence', 'key', '--json'));
  const fingerprint = String(present?.fingerprint);
  const verified = await assay('evidence', 'verify', path, '--fingerprint', fingerprint);
  assert.equal(verified.code, 0, verified.out);
  assert.match(verified.out, /rescore\.zip: 3 files, \d+ bytes: whole and signed/);
  const members = await takeApart(path);
  const textOf = (member: string): string => members.get(member)?.toString('utf8') ?? '';
  const { lines, records } = JSON.parse(textOf('data/rescore.json'));
  assert.equal(records, lines.length);
  const line = lines.find((one: { identifier: string }) => one.identifier === identifier);
  assert.notEqual(line.before.probability, line.after.probability);
  assert.ok(line.modelsAfter.includes('made-by-hand@0.10.0'));
  assert.ok(!line.modelsBefore.includes('made-by-hand@0.10.0'));
  const envelope = JSON.parse(textOf('attestation.dsse.json'));
  const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'));
  assert.equal(statement.predicateType, 'urn:assay:evidence:rescore:v1');
  const changes = lines.filter((one: { changes: boolean }) => one.changes).length;
  assert.deepEqual([statement.predicate.records, statement.predicate.changes], [records, changes]);
  const html = textOf('data/report.html');
  assert.match(html, /<html lang="it"/);
  assert.equal(
    html.includes('made-by-hand@0.10.0'),
    changes > 0,
    'the reason is stated if something would change',
  );
  assert.match(textOf('data/report.pdf').slice(0, 8), /^%PDF-/);
  const changed = new Map(members).set(
    'data/rescore.json',
    Buffer.from(textOf('data/rescore.json').replace('0', '1')),
  );
  await putTogether(changed, path);
  const refused = await assay('evidence', 'verify', path);
  assert.equal(refused.code, 1);
  assert.match(refused.out, /data\/rescore\.json: is not as it was packed/);
  assert.match((await assay('audit', '--json')).out, /evidence\.rescore/);
}

test('a licence that forbids some uses must be named by who adds the model', async () => {
  const address = 'https://127.0.0.1:1/nowhere';
  const { model } = await writeEntry(daemon.folder, {
    name: 'not-for-sale',
    address,
    licenceAccept: 'CC-BY-NC-4.0',
  });
  const path = join(folder.path, 'not-for-sale.onnx');
  await writeFile(path, model);
  const add = ['models', 'add', 'not-for-sale', '--file', path];
  assert.match(
    (await assay(...add)).err,
    /accept_licence: not-for-sale is licensed under CC-BY-NC-4\.0.*found nothing/,
  );
  assert.match((await assay(...add, '--accept-licence', 'MIT')).err, /found "MIT"/);
  assert.match((await assay('models', 'catalogue')).out, /--accept-licence CC-BY-NC-4\.0/);
  const [listed] = linesOf(await assay('models', 'catalogue', '--json')).filter(
    ({ name }) => name === 'not-for-sale',
  );
  assert.deepEqual([listed?.licence_accept, listed?.family], ['CC-BY-NC-4.0', 'community-forensics-vit']);
  const added = await assay(...add, '--accept-licence', 'CC-BY-NC-4.0');
  assert.equal(added.out, 'not-for-sale@0.10.0 is in service\n', added.err);
  assert.match((await assay('audit', '--json')).out, /CC-BY-NC-4\.0/);
  await assay('models', 'remove', 'not-for-sale');
});

test('a model of the catalogue is downloaded by https, over redirects, with its hash checked', async () => {
  const identity = makeIdentity({ name: 'localhost', issuer: authority });
  let body: Uint8Array = Buffer.alloc(0);
  const server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    if (request.url === '/release') response.writeHead(302, { location: '/file' }).end();
    else if (request.url === '/plain') response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
    else response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { model } = await writeEntry(daemon.folder, { name: 'downloaded', address: `${origin}/release` });
    body = Buffer.from('not the model');
    assert.match((await assay('models', 'add', 'downloaded')).err, /expected a file with SHA-256/);
    await writeEntry(daemon.folder, { name: 'over-http', address: `${origin}/plain` });
    assert.match((await assay('models', 'add', 'over-http')).err, /expected https, found http:/);
    body = Buffer.alloc(61_000_000);
    assert.match(
      (await assay('models', 'add', 'downloaded')).err,
      /61000000 bytes, at most 60000000 are expected/,
    );
    body = model;
    const added = await assay('models', 'add', 'downloaded');
    assert.equal(added.out, 'downloaded@0.10.0 is in service\n', added.err);
    assert.match(added.err, /the daemon downloads it\nthe daemon tries it\n/);
    assert.match((await assay('models', 'catalogue')).out, /^downloaded .*\(installed\)$/m);
    await assay('models', 'remove', 'downloaded');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

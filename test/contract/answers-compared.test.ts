import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { makeIdentity } from '../certificates.ts';
import { runCommand } from '../cli/run-command.ts';
import { openService, type Service } from '../interface/service.ts';
import { patternImage } from '../media/pictures.ts';
import { makeSigner, signMedia } from '../signed-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

const authority = makeIdentity({ name: 'Desk authority' });
let place: TemporaryFolder;
let service: Service;
const files: Record<string, string> = {};

before(async () => {
  place = await makeTemporaryFolder();
  await writeFile(join(place.path, 'desk.pem'), authority.cert);
  const source = await patternImage(320, 251).jpeg().toBuffer();
  const { file } = await signMedia({ source }, { signer: makeSigner(authority) });
  const stripped = await sharp(file).jpeg({ quality: 90 }).toBuffer();
  const published = await signMedia({ source: stripped }, { signer: makeSigner(authority, 'Test newsroom') });
  const changed = Buffer.from(file);
  const at = changed.length - 200;
  changed[at] = (changed[at] ?? 0) ^ 0x01;
  for (const [name, bytes] of Object.entries({ file, stripped, published: published.file, changed })) {
    files[name] = join(place.path, `${name}.jpg`);
    await writeFile(files[name], bytes);
  }
  service = await openService({ ASSAY_PROVENANCE_TRUST_ANCHORS_FILE: join(place.path, 'desk.pem') });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

async function assay(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return await runCommand({ address: service.grpc, key: service.open.daemon.newKey ?? '' }, args);
}

interface Row {
  answer?: string;
  change: string;
  before: string;
  after: string;
}

const EXPORTS: [name: string, code: number, answers: string[]][] = [
  ['file', 0, ['unchanged kept', 'signed_by kept', 'in_time kept']],
  ['stripped', 1, ['unchanged lost', 'signed_by lost', 'in_time lost']],
  ['published', 0, ['unchanged kept', 'signed_by changed', 'in_time kept']],
  ['changed', 1, ['unchanged broken', 'signed_by kept', 'in_time kept']],
];

for (const [name, code, expected] of EXPORTS) {
  test(`${name}: ${expected.join(', ')}`, async () => {
    const compared = await assay('marks', 'compare', '--json', files.file ?? '', files[name] ?? '');
    assert.equal(compared.code, code, compared.err);
    const rows = (JSON.parse(compared.out) as Row[]).filter(({ answer }) => answer !== undefined);
    assert.deepEqual(
      rows.map(({ answer, change }) => `${answer} ${change}`),
      expected,
    );
    const signer = rows.find(({ answer }) => answer === 'signed_by');
    if (name === 'published') {
      assert.deepEqual([signer?.before, signer?.after], ['on_list, Test camera', 'on_list, Test newsroom']);
    }
  });
}

test('records say the same by GraphQL, and the table names the answers', async () => {
  const [original, copy] = [await identifierOf('file'), await identifierOf('published')];
  const query =
    'query($id: ID!, $of: ID!) { answersCompared(identifier: $id, originalIdentifier: $of) { answer change before after } }';
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': service.open.daemon.newKey ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { id: copy, of: original } }),
  });
  const { data } = (await response.json()) as { data: { answersCompared: Row[] } };
  assert.deepEqual(
    data.answersCompared.map(({ answer, change }) => `${answer} ${change}`),
    ['UNCHANGED KEPT', 'SIGNED_BY CHANGED', 'IN_TIME KEPT'],
  );
  const { out } = await assay('marks', 'compare', files.file ?? '', files.published ?? '');
  assert.match(out, /changed\s+signed_by\s+on_list, Test camera\s+on_list, Test newsroom/);
});

async function identifierOf(name: string): Promise<string> {
  const { out, err } = await assay('classify', '--json', files[name] ?? '');
  const { identifier } = JSON.parse(out) as { identifier?: string };
  assert.ok(identifier !== undefined, err);
  return identifier;
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { makeIdentity } from '../certificates.ts';
import { TEST_KEY } from '../daemon.ts';
import { definitionOf, GENERATED, makeSigner, signMedia } from '../signed-media.ts';

const authority = makeIdentity({ name: 'Desk authority' });
const other = makeIdentity({ name: 'Other authority' });
let daemon: OpenBox;
let folder: string;
let picture: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-trust-'));
  const { file } = await signMedia(
    { definition: definitionOf(GENERATED) },
    { signer: makeSigner(authority) },
  );
  picture = join(folder, 'signed.jpg');
  writeFileSync(picture, file);
  writeFileSync(join(folder, 'desk.pem'), authority.cert);
  writeFileSync(join(folder, 'other.pem'), other.cert);
  daemon = await openBox({ models: 'tiny' });
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(query: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

interface Shown {
  readings: { state: string; signed_by: { answer: string; lists: { list: string }[] } };
  lists: { id: string; sha256: string }[];
}

async function show(): Promise<Shown> {
  const { out, err } = await daemon.assay('marks', 'show', picture, '--json');
  assert.equal(err, '');
  return (JSON.parse(out) as { provenance: Shown }).provenance;
}

test('a first start knows the shipped lists, by every way', async () => {
  const { out } = await daemon.assay('trust', 'list', '--json');
  const lists = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lists.map(({ id, is_on: isOn, authorities }) => [id, isOn, authorities]),
    [
      ['c2pa', true, 30],
      ['c2pa-time', true, 22],
      ['c2pa-products', true, 0],
      ['iptc', true, 0],
      ['interim', true, 18],
    ],
  );
  const { trustLists } = await ask('{ trustLists { id singleCertificates sha256 frozen } }');
  assert.deepEqual(
    (trustLists as { id: string; singleCertificates: number }[]).map((list) => list.singleCertificates),
    [0, 0, 0, 20, 86],
  );
});

test('the table of lists says of each whether it is on, whence it is and what it holds', async () => {
  const rows = (await daemon.assay('trust', 'list')).out.split('\n').filter((line) => line.startsWith('│ '));
  const cells = rows.map((row) => row.split('│').map((cell) => cell.trim()));
  assert.deepEqual(cells[1]?.slice(1, 5), ['c2pa', 'on', 'signers', 'shipped']);
  assert.match(cells[1]?.[6] ?? '', /^30 authorities$/);
  assert.match(cells[5]?.[5] ?? '', /^\d{4}-\d\d-\d\d, frozen \d{4}-\d\d-\d\d$/);
  assert.equal(cells[5]?.[6], '18 authorities, 86 certificates that vouch for themselves alone');
});

test('a list that cannot be kept is refused with the field and what was found', async () => {
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, authority.cert.replace(/^.{64}$/m, 'A'.repeat(64)));
  const large = join(folder, 'large.pem');
  writeFileSync(large, Buffer.alloc(3_000_000, 'a'));
  const good = join(folder, 'desk.pem');
  const long = 'x'.repeat(2000);
  const cases = [
    {
      argv: ['Desk!', good],
      err: /id: expected 1 to 40 lower-case letters, digits and dashes, found "Desk!"/,
    },
    { argv: [long, good], err: /id: expected 1 to 40 .*, found "x{70,80}…/ },
    { argv: ['c2pa', good], err: /id: there is a list "c2pa" already/ },
    { argv: ['new', good, '--name', 'a\nb'], err: /name: expected one line of at most \d+ characters/ },
    { argv: ['new', good, '--date', '2026-02-30'], err: /date: expected the day .*, found "2026-02-30"/ },
    { argv: ['new', good, '--date', 'yesterday'], err: /date: expected the day .*, found "yesterday"/ },
    { argv: ['new', wrong], err: /content: it holds a certificate that cannot be read \(number 1 of 1\)/ },
    { argv: ['new', large], err: /content: expected at most \d+ bytes, found 3000000/ },
  ];
  for (const { argv, err } of cases) {
    const refused = await daemon.assay('trust', 'add', '--date', '2026-11-01', ...argv);
    assert.deepEqual([refused.code, err.test(refused.err)], [1, true], refused.err.slice(0, 300));
  }
});

test('an update of a list names its content once, and a file that can be read', async () => {
  const none = join(folder, 'none.pem');
  const cases = [
    { argv: [], err: /expected either --file with --date, or --shipped/ },
    { argv: ['--shipped', '--file', none], err: /expected either --file with --date, or --shipped/ },
    { argv: ['--file', none, '--date', '2026-11-01'], err: /none\.pem: ENOENT/ },
  ];
  for (const { argv, err } of cases) {
    const refused = await daemon.assay('trust', 'update', 'c2pa', ...argv);
    assert.deepEqual([refused.code, err.test(refused.err)], [2, true], refused.err);
  }
});

test('certificates are found by part of a name', async () => {
  const table = await daemon.assay('trust', 'show', 'Westdeutscher');
  assert.match(table.out, /│ iptc +│ single +│ .*Westdeutscher.* │ \d{4}\S+Z to \d{4}\S+Z │ [0-9a-f]{64} │/);
  const { out, code } = await daemon.assay('trust', 'show', 'Westdeutscher', '--json');
  assert.equal(code, 0);
  const found = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { list: string }).list);
  assert.deepEqual([...new Set(found)].sort(), ['interim', 'iptc']);
  assert.equal((await daemon.assay('trust', 'show', 'nobody of that name')).code, 1);
});

test('an added list vouches from the next file on, a disabled one does not, and a record keeps its hash', async () => {
  const before = await show();
  assert.deepEqual(
    [before.readings.state, before.readings.signed_by.answer],
    ['READING_STATE_INTACT', 'SIGNER_ANSWER_ON_NO_LIST'],
  );
  const made = await daemon.assay('trust', 'add', 'desk', join(folder, 'desk.pem'), '--date', '2026-11-01');
  assert.equal(made.code, 0, made.err);
  const added = await show();
  assert.equal(added.readings.state, 'READING_STATE_TRUSTED');
  assert.deepEqual(
    added.readings.signed_by.lists.map(({ list }) => list),
    ['desk'],
  );
  assert.match(added.lists.find(({ id }) => id === 'desk')?.sha256 ?? '', /^[0-9a-f]{64}$/);
  assert.equal((await daemon.assay('trust', 'off', 'desk')).code, 0);
  assert.equal((await show()).readings.state, 'READING_STATE_INTACT');
  const { setTrustListOn } = await ask(
    'mutation { setTrustListOn(id: "desk", isOn: true) { list { isOn } userErrors { message } } }',
  );
  assert.deepEqual(setTrustListOn, { list: { isOn: true }, userErrors: [] });
});

test('a record shows its readings and weighs the signature, by GraphQL as by gRPC', async () => {
  const classified = await daemon.assay('classify', picture, '--json');
  const record = JSON.parse(classified.out.trim().split('\n').at(-1) ?? '') as {
    identifier: string;
    assessment: { state: string; strength: string };
    provenance: Shown;
  };
  assert.equal(record.provenance.readings.state, 'READING_STATE_TRUSTED');
  assert.deepEqual(
    [record.assessment.state, record.assessment.strength],
    ['ASSESSMENT_STATE_ARTIFICIAL', 'ASSESSMENT_STRENGTH_SIGNED'],
  );
  const { classification } = await ask(
    `{ classification(identifier: "${record.identifier}") {
      provenance { readings { state unchanged } sentence { en it } manifests { steps { kind } } } } }`,
  );
  const { readings, manifests } = (classification as { provenance: Record<string, unknown> }).provenance;
  assert.deepEqual(readings, { state: 'TRUSTED', unchanged: 'YES' });
  assert.deepEqual(manifests, [{ steps: [{ kind: 'GENERATED' }] }]);
  const rest = await fetch(`${daemon.http}/image/${record.identifier}`, {
    headers: { 'x-api-key': TEST_KEY },
  });
  assert.ok(!(await rest.text()).includes('"provenance"'), 'REST has the documented fields only');
});

test('sheets hold the four answers, from the command line and over HTTP', async () => {
  const head = 'error,provenance,unchanged,signed_by,signer,in_time,who';
  const answers = ',trusted,yes,on_list,Test camera,valid_now,nobody';
  const { out } = await daemon.assay('export');
  const [first, line] = out.trim().split(/\r?\n/);
  assert.ok(first?.endsWith(head) && line?.endsWith(answers), out);
  const response = await fetch(`${daemon.http}/exports/records.csv`, { headers: { 'x-api-key': TEST_KEY } });
  const [served, row] = (await response.text()).trim().split(/\r?\n/);
  assert.ok(served?.endsWith(head) && row?.endsWith(answers), row);
});

test('an update that drops a signer seen here is refused, unless it is asked for', async () => {
  const newer = ['trust', 'update', 'desk', '--file', join(folder, 'other.pem'), '--date', '2026-11-02'];
  const refused = await daemon.assay(...newer);
  assert.notEqual(refused.code, 0);
  assert.match(refused.err, /drops what vouches for signers of records here: Test camera/);
  assert.equal((await daemon.assay(...newer, '--drop-seen')).code, 0);
  assert.equal((await show()).readings.state, 'READING_STATE_INTACT');
});

test('a recheck says per record what the present lists change, by every way', async () => {
  const { out, err, code } = await daemon.assay('trust', 'recheck', '--json');
  assert.equal(code, 0, err);
  const [recheck, record] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([recheck?.state, recheck?.changed], ['RECHECK_STATE_DONE', '1']);
  const changes = record?.changes as { answer: string; before: string; after: string }[];
  assert.deepEqual(changes[0], { answer: 'RECHECKED_ANSWER_STATE', before: 'trusted', after: 'intact' });
  const hashOf = (lists: unknown): string =>
    (lists as { id: string; sha256: string }[]).find(({ id }) => id === 'desk')?.sha256 ?? '';
  assert.notEqual(hashOf(record?.lists_before), hashOf(record?.lists_after));
  const asked = await ask(`{ trustRecheck { state changed lists { id } }
    recheckedRecords { nodes { identifier outcome changes { answer before after } } } }`);
  assert.equal((asked.trustRecheck as { state: string }).state, 'DONE');
  const [node] = (asked.recheckedRecords as { nodes: { identifier: string; outcome: string }[] }).nodes;
  assert.deepEqual([node?.identifier, node?.outcome], [record?.identifier, 'CHANGED']);
  const shown = await daemon.assay('trust', 'recheck', '--last');
  assert.match(shown.out, /signed\.jpg {2}changed {2}state: trusted → intact/);
  assert.match(shown.out, /\[desk [0-9a-f]{12} → [0-9a-f]{12}\]/);
  const custody = await daemon.assay('custody', 'show', String(record?.identifier));
  assert.match(custody.out, /manifest_reread/);
});

test('a list is added and updated by GraphQL, and what an update would drop is said before', async () => {
  const content = JSON.stringify(authority.cert);
  const added =
    await ask(`mutation { addTrustList(id: "web", kind: SIGNERS, content: ${content}, date: "2026-11-03") {
    list { id authorities } userErrors { message } } }`);
  assert.deepEqual(added.addTrustList, { list: { id: 'web', authorities: 1 }, userErrors: [] });
  await daemon.assay('trust', 'recheck');
  const newer = JSON.stringify(other.cert);
  const { trustListDiff } = await ask(`{ trustListDiff(id: "web", content: ${newer}) {
    added removed addedCount droppedSigners } }`);
  assert.deepEqual(trustListDiff, {
    ...{ added: ['Other authority'], removed: ['Desk authority'], addedCount: 1 },
    droppedSigners: ['Test camera'],
  });
  const dry = await daemon.assay('trust', 'update', 'web', '--file', join(folder, 'other.pem'), '--dry-run');
  assert.match(dry.out, /^\+ Other authority\n- Desk authority\n! Test camera signed records here/);
  const update = (dropSeen: boolean): string => `mutation { updateTrustList(id: "web", content: ${newer},
    date: "2026-11-04", dropSeen: ${dropSeen}) { list { id } userErrors { message } } }`;
  const refused = (await ask(update(false))).updateTrustList as { list: null; userErrors: unknown[] };
  assert.deepEqual([refused.list, refused.userErrors.length], [null, 1]);
  assert.deepEqual((await ask(update(true))).updateTrustList, { list: { id: 'web' }, userErrors: [] });
  assert.equal((await daemon.assay('trust', 'remove', 'web')).code, 0);
});

test('a file that is no list is refused in words, a shipped list is not removed, and every change is in the audit log', async () => {
  const bad = await daemon.assay('trust', 'add', 'bad', picture, '--date', '2026-11-01');
  assert.match(bad.err, /content.*holds no certificate in PEM/);
  assert.match((await daemon.assay('trust', 'remove', 'c2pa')).err, /switch it off instead/);
  assert.match((await daemon.assay('trust', 'off', 'none')).err, /no trust list "none"/);
  assert.equal((await daemon.assay('trust', 'remove', 'desk')).code, 0);
  writeFileSync(join(folder, 'own.pem'), makeSigner(makeIdentity({ name: 'Desk' })).cert);
  const own = await daemon.assay('trust', 'add', 'desk', join(folder, 'own.pem'), '--date', '2026-11-01');
  assert.match(own.err, /on: 1 certificates that vouch for themselves alone/);
  assert.equal((await daemon.assay('trust', 'remove', 'desk')).code, 0);
  const { out } = await daemon.assay('audit', '--json');
  for (const action of ['trust.add', 'trust.off', 'trust.on', 'trust.update', 'trust.remove']) {
    assert.ok(out.includes(`"${action}"`), action);
  }
});

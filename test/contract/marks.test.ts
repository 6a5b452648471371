import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { WATERMARK_MESSAGES } from '../../src/domain/media/open-watermarks.ts';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { type Data, GraphqlCaller } from '../facade/graphql-caller.ts';
import { writePicture } from '../media/pictures.ts';
import { softPicture } from '../media/soft-picture.ts';
import { markPicture } from '../media/watermark.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';

let daemon: OpenBox;
let folder: string;
let marked: string;
let stripped: string;

const KEY = { 'x-api-key': TEST_KEY };

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-marks-'));
  const { rgb, width, height } = markPicture(
    softPicture(512, 384),
    WATERMARK_MESSAGES[0]?.bits ?? new Uint8Array(),
    'floats',
  );
  const raw = { raw: { width, height, channels: 3 } } as const;
  const png = await sharp(rgb, raw)
    .withExif({ IFD0: { Software: 'NovelAI' } })
    .png()
    .toBuffer();
  marked = await writePicture(folder, 'marked.png', png);
  stripped = await writePicture(folder, 'export.jpg', await sharp(rgb, raw).jpeg({ quality: 60 }).toBuffer());
  daemon = await openBox({ models: 'tiny' });
});

after(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(query: string, variables: Data): Promise<T> {
  return await new GraphqlCaller(daemon.http, TEST_KEY).read(query, variables);
}

interface Shown {
  kind: string;
  state: string;
  strength: string;
}

const FOUND: Readonly<Record<string, string>> = { generator_name: 'weak', open_watermark: 'strong' };

function assertFound(marks: readonly Shown[]): void {
  const lower = marks.map((mark) => ({
    kind: mark.kind.toLowerCase(),
    state: mark.state.toLowerCase(),
    strength: mark.strength.toLowerCase(),
  }));
  const found = lower.filter(({ state }) => state === 'found');
  assert.deepEqual(Object.fromEntries(found.map(({ kind, strength }) => [kind, strength])), FOUND);
  assert.deepEqual(
    lower.filter(({ state }) => state === 'not_checkable').map(({ kind }) => kind),
    ['closed_watermark'],
  );
}

/** Submits on the command line and returns the record as gRPC has it. */
async function classify(path: string): Promise<Record<string, unknown>> {
  const { out, err } = await daemon.assay('classify', '--json', path);
  assert.notEqual(out, '', err);
  return JSON.parse(out) as Record<string, unknown>;
}

let records: { marked: string; stripped: string };

test('a record shows its marks by gRPC and GraphQL, and by REST nothing new', async () => {
  const record = await classify(marked);
  const { values } = record.marks as { values: Shown[] };
  assertFound(
    values.map(({ kind, state, strength }) => ({
      kind: kind.replace('MARK_KIND_', ''),
      state: state.replace('MARK_STATE_', ''),
      strength: strength.replace('MARK_STRENGTH_', ''),
    })),
  );
  const identifier = String(record.identifier);
  const { classification } = await ask<{
    classification: { marks: Shown[]; fileFacts: object; assessment: { reasons: { code: string }[] } };
  }>(
    `query($id: ID!) { classification(identifier: $id) {
      marks { kind state strength } assessment { reasons { code } }
      fileFacts { facts { kind field value isSigned } contradictions { en } } } }`,
    { id: identifier },
  );
  const fact = { kind: 'SOFTWARE', field: 'EXIF Software', value: 'NovelAI', isSigned: false };
  assert.deepEqual(classification.fileFacts, { facts: [fact], contradictions: [] });
  const stored = { kind: 'FACT_KIND_SOFTWARE', field: 'EXIF Software', value: 'NovelAI', is_signed: false };
  assert.deepEqual(record.file_facts, { facts: [stored], contradictions: [] });
  assert.match(
    (await daemon.assay('get', identifier)).out,
    /the file says +software +NovelAI +EXIF Software/,
  );
  assertFound(classification.marks);
  const codes = classification.assessment.reasons.map(({ code }) => code);
  assert.ok(codes.includes('WATERMARK_FOUND') && codes.includes('METADATA_GENERATOR'), codes.join());
  const rest = await fetch(`${daemon.http}/api/classification_image/${identifier}`, { headers: KEY });
  assert.doesNotMatch(await rest.text(), /"marks"|watermark|facts|"EXIF Software/i);
  records = { marked: identifier, stripped: String((await classify(stripped)).identifier) };
});

test('the marks of a file are read without keeping it', async () => {
  const before = await ask<{ classifications: { nodes: object[] } }>(
    'query { classifications(first: 10) { nodes { identifier } } }',
    {},
  );
  const { code, out } = await daemon.assay('marks', 'show', '--json', marked);
  assert.equal(code, 0);
  const shown = JSON.parse(out) as { marks: Shown[]; fileFacts: { facts: { value: string }[] } };
  assertFound(shown.marks);
  assert.deepEqual(
    shown.fileFacts.facts.map(({ value }) => value),
    ['NovelAI'],
  );
  const form = new FormData();
  const query =
    'mutation($input: ReadMarksInput!) { readMarks(input: $input) { file { mimetype marks { kind state strength } } userErrors { message } } }';
  form.set('operations', JSON.stringify({ query, variables: { input: { file: null } } }));
  form.set('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.set('0', new Blob([await readFile(marked)]), 'marked.png');
  const response = await fetch(`${daemon.http}/graphql`, { method: 'POST', headers: KEY, body: form });
  const { data } = (await response.json()) as {
    data: { readMarks: { file: { mimetype: string; marks: Shown[] } } };
  };
  assert.equal(data.readMarks.file.mimetype, 'image/png');
  assertFound(data.readMarks.file.marks);
  const after = await ask<{ classifications: { nodes: object[] } }>(
    'query { classifications(first: 10) { nodes { identifier } } }',
    {},
  );
  assert.equal(after.classifications.nodes.length, before.classifications.nodes.length);
});

test('a comparison names what an export lost, of files and of records', async () => {
  const { code, out } = await daemon.assay('marks', 'compare', '--json', marked, stripped);
  assert.equal(code, 1, 'something was lost');
  const changes = (JSON.parse(out) as { kind: string; change: string }[]).map(
    ({ kind, change }) => `${kind} ${change}`,
  );
  assert.deepEqual(changes.sort(), ['generator_name lost', 'open_watermark lost']);
  const { marksCompared } = await ask<{ marksCompared: { kind: string; change: string }[] }>(
    'query($id: ID!, $of: ID!) { marksCompared(identifier: $id, originalIdentifier: $of) { kind change } }',
    { id: records.stripped, of: records.marked },
  );
  assert.deepEqual(
    marksCompared.map(({ kind, change }) => `${kind} ${change}`.toLowerCase()).sort(),
    changes,
  );
  assert.equal((await daemon.assay('marks', 'compare', marked, marked)).code, 0);
});

test('a copy names its original and what a person found of it, and keeps its own verdict', async () => {
  const original = await ask<{ classification: { hash: string } }>(
    'query($id: ID!) { classification(identifier: $id) { hash } }',
    { id: records.marked },
  );
  const said = await daemon.assay('override', original.classification.hash, 'human', '--kind', 'image');
  assert.equal(said.code, 0, said.err);
  const seen = { identifier: records.marked, relation: 'COPY', finding: 'HUMAN' };
  const { classification } = await ask<{
    classification: { forceClassification: string | null; seenBefore: object[] };
  }>(
    `query($id: ID!) { classification(identifier: $id) {
      forceClassification seenBefore { identifier relation finding } } }`,
    { id: records.stripped },
  );
  assert.deepEqual(classification, { forceClassification: null, seenBefore: [seen] });
  const { out } = await daemon.assay('get', '--json', records.stripped);
  const [row] = (JSON.parse(out) as { seen_before: Record<string, unknown>[] }).seen_before;
  assert.deepEqual(
    [row?.identifier, row?.relation, row?.finding],
    [records.marked, 'LIKENESS_RELATION_COPY', 'LABEL_HUMAN'],
  );
});

test('the label helper answers by every way, and says which answer it lacks', async () => {
  const said = await daemon.assay(
    'label',
    '--json',
    '--resembles-reality',
    'yes',
    '--artistic',
    'no',
    marked,
  );
  assert.equal(said.code, 0, said.err);
  const advice = JSON.parse(said.out) as { duty: string; wording: string; marks: Shown[] };
  assert.deepEqual([advice.duty, advice.wording], ['disclose', 'AI GENERATED']);
  assert.equal(advice.marks.length, 2);
  const { labelAdvice } = await ask<{ labelAdvice: { duty: string; sources: { rank: string }[] } }>(
    'query($input: LabelQuestionInput!) { labelAdvice(input: $input) { duty sources { rank } } }',
    { input: { kind: 'TEXT', hasEditorialControl: true } },
  );
  assert.equal(labelAdvice.duty, 'NONE');
  const refused = await daemon.assay('label', marked);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /resembles_reality/);
});

test('actions named as parts of every object are steps like others', {
  skip: skipWithoutSharedData('cases'),
}, async () => {
  const path = sharedData('cases', 'c2pa-proto.jpg');
  const { identifier } = await classify(path);
  const query =
    'query($id: ID!) { classification(identifier: $id) { provenance { manifests { steps { action kind } } } } }';
  const { classification } = await ask<{
    classification: { provenance: { manifests: { steps: { action: string; kind: string }[] }[] } };
  }>(query, { id: String(identifier) });
  const steps = classification.provenance.manifests.flatMap((manifest) => manifest.steps);
  const odd = steps.filter(({ action }) => ['__proto__', 'toString'].includes(action));
  assert.deepEqual(new Set(odd.map(({ kind }) => kind)), new Set(['OTHER']));
  const out = join(folder, 'proto.zip');
  for (const args of [
    ['get', String(identifier)],
    ['list', '--all'],
    ['export', '--format', 'csv'],
    ['marks', 'show', path],
    ['evidence', 'export', String(identifier), '-o', out],
    ['evidence', 'verify', out],
  ]) {
    const { code, err } = await daemon.assay(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${err}`);
  }
});

test('a file that is no media is refused in the words of a submission', async () => {
  const path = await writePicture(folder, 'none.png', Buffer.from('nothing of the sort'));
  const { code, err } = await daemon.assay('marks', 'show', path);
  assert.equal(code, 1);
  assert.match(err, /none of the accepted types/);
});

/** Every text of a stored record, replaced by what breaks programs: the record is shown or refused, and others go on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { parse } from 'csv-parse/sync';
import { exportEvidence } from '../../src/app/evidence/export-evidence.ts';
import { exportRecords } from '../../src/app/records/export-records.ts';
import { readRecord } from '../../src/app/records/record.ts';
import { toJsonSidecar, toXmpSidecar } from '../../src/app/watch-folders/result-files.ts';
import { AssayClient } from '../../src/cli/daemon/client.ts';
import { NOTICE_BODIES, toMail } from '../../src/domain/answers/notice-texts.ts';
import type { ClassificationRecord } from '../../src/domain/answers/record.ts';
import { summaryOf } from '../../src/domain/answers/record-summary.ts';
import type { AppError } from '../../src/domain/errors.ts';
import { toWebhookBody } from '../../src/facade/rest/convert.ts';
import { ClassificationService } from '../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { Store } from '../../src/store/store.ts';
import { openServedApp, type ServedApp } from '../app/open-app.ts';
import { TEST_KEY } from '../daemon.ts';
import { makeManifest, makeStore, NOW } from '../domain/provenance/made-store.ts';
import { GraphqlCaller } from '../facade/graphql-caller.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { rewritten, spoilRows } from '../store/spoiled-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const HOSTILE = ['__proto__', 'constructor', '\ud800 and \udfff', 'a\0b', '\u202egpj.exe\u2066'];
/** The documented report and the caller's words may be as long; the store refuses a long text elsewhere. */
const LONG = 'x'.repeat(2 ** 20);

const STEP = { when: '0001-01-01T00:00:00Z', agent: 'a', sourceType: 'digitalCapture', description: 'd' };
const INGREDIENT = { title: 'i', format: 'f', manifest: 'other', thumbnail: '' };
const MANIFEST = makeManifest({
  actions: [{ action: 'c2pa.created', ...STEP }],
  device: { name: 'camera', when: '' },
  ingredients: [{ ...INGREDIENT, relationship: 'component' }],
  trainingMining: [{ use: 'data_mining', permission: 'notAllowed' }],
  identities: [{ name: 'person', provider: 'provider' }],
});
/** Added to a seeded record, so that it has every text that a record can have. */
const ANALYSIS = {
  modelDigests: { 'seeded@1.0.0': 'ab' },
  stepTimes: [{ step: 'decode', seconds: 1, times: 1 }],
  addition: { id: '', asked: ['heatmap'], error: 'none' },
};
const PROVENANCE = {
  ...{
    declaredOrigin: 'captured',
    signer: 'signer',
    remoteManifestUrl: 'https://example.org',
    fault: 'fault',
  },
  c2pa: {
    ...{ manifests: { active: { title: 't' } }, active_manifest: 'active', validation_state: 'Valid' },
    validation_status: [{ code: 'c', url: 'u', explanation: 'e' }],
    validation_results: {
      activeManifest: { failure: [], success: [], informational: [] },
      ingredientDeltas: [],
    },
  },
  store: { ...makeStore(MANIFEST), lists: [{ id: 'list', sha256: 'ab' }] },
  hasReadFacts: true,
  outer: { source: 'remote', outcome: 'read', host: 'example.org', sha256: '', reason: '' },
  declarations: [{ kind: 'generator', field: 'EXIF Software', value: 'v', origin: 'generated' }],
};
const CLASSIFICATION = {
  ...{ refId: 'r', sourceUrl: 'https://example.org', webhookUrl: null, remoteAddress: '192.0.2.1' },
  submittedBy: { via: 'rest', keyId: 1, keyName: 'k' },
};

type Json = Record<string, unknown>;
interface Place {
  table: 'analyses' | 'classifications';
  path: readonly string[];
}

/** Fields in which rows name each other. */
const LINKS = ['id', 'identifier', 'analysisId', 'key'];

function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return [[...path]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    path.length === 0 && LINKS.includes(name) ? [] : placesIn(inner, [...path, name]),
  );
}

function put(row: unknown, [name = '', ...rest]: readonly string[], text: string): void {
  if (rest.length > 0) put((row as Json)[name], rest, text);
  else (row as Json)[name] = text;
}

function complete(row: Json): void {
  if ('analysisId' in row) Object.assign(row, CLASSIFICATION);
  else {
    Object.assign(row, ANALYSIS);
    Object.assign(row.result as Json, { provenance: structuredClone(PROVENANCE) });
  }
}

const spoiled: { place: Place; text: string }[] = [];
const stack = new AsyncDisposableStack();
let open: ServedApp;

before(async () => {
  const folder = stack.use(await makeTemporaryFolder());
  const data = join(folder.path, 'data');
  const places: Place[] = [];
  {
    await using store = await Store.open({ folder: data });
    await seedRecords(store, 1, () => ({ name: 'n', probability: 0.05 }));
    for (const [table, row] of [
      ['analyses', store.read.analyses.get(identifierOf(0))],
      ['classifications', store.read.records.get(identifierOf(0))],
    ] as const) {
      const whole = structuredClone(row) as unknown as Json;
      complete(whole);
      places.push(...placesIn(whole).map((path) => ({ table, path })));
    }
    for (const place of places) {
      const isLong = place.table === 'classifications' || place.path.includes('c2pa');
      for (const text of isLong ? [...HOSTILE, LONG] : HOSTILE) spoiled.push({ place, text });
    }
    await seedRecords(store, spoiled.length + 1, () => ({ name: 'n', probability: 0.05 }));
  }
  const rows = spoiled.flatMap(({ place, text }, index) =>
    (['analyses', 'classifications'] as const).map((table) => ({
      table,
      key: identifierOf(index),
      spoil: rewritten(table, (row) => {
        complete(row);
        if (table === place.table) put(row, place.path, text);
      }),
    })),
  );
  await spoilRows(data, rows);
  open = stack.use(await openServedApp({ ASSAY_DATA_DIR: data, ASSAY_ADMIN_API_KEY: TEST_KEY }));
});

after(() => stack.disposeAsync());

/** Words and times of a record that only Assay writes. */
const CLOSED = [
  'analyses result.provenance.declarations.0.kind',
  'analyses result.provenance.declaredOrigin',
  'analyses result.provenance.outer.outcome',
  'analyses result.provenance.outer.source',
  'analyses result.provenance.store.manifests.0.ingredients.0.relationship',
  'analyses result.provenance.store.source',
  'analyses result.runs.0.axis',
  'classifications kind',
  'classifications options.keyFramesMethod',
  'classifications origin',
];

const ALL = () => new Set(spoiled.map((_, index) => identifierOf(index)));
/** Rows that each facade shows: all but those that the app refuses. */
let shown: Set<string>;

test('only a word that is Assay’s own keeps a record from being shown', () => {
  const refused = new Set<string>();
  shown = new Set();
  for (const [index, { place }] of spoiled.entries()) {
    const { classification } = readOne(identifierOf(index));
    if (classification) shown.add(identifierOf(index));
    else refused.add(`${place.table} ${place.path.join('.')}`);
  }
  assert.deepEqual([...refused].sort(), CLOSED);
});

function readOne(identifier: string): { classification?: ClassificationRecord } {
  try {
    return { classification: readRecord(open.app, identifier) };
  } catch (error) {
    assert.equal((error as AppError).reason, 'damaged');
    return {};
  }
}

test('gRPC shows each record but the refused ones', async () => {
  const channel = { address: open.daemon.grpc.address, credentials: credentials.createInsecure() };
  using client = new AssayClient(channel, TEST_KEY);
  const found = new Set<string>();
  const refusals = new Set<string>();
  for (let pageToken = ''; ; ) {
    const query = { pageSize: 30, pageToken };
    const page = await client.call(ClassificationService.method.listClassifications, query);
    for (const { identifier } of page.classifications) found.add(identifier);
    for (const { identifier } of page.refused) refusals.add(identifier);
    pageToken = page.nextPageToken;
    if (pageToken === '') break;
  }
  found.delete(identifierOf(spoiled.length));
  assert.deepEqual(found, shown);
  assert.deepEqual(refusals, ALL().difference(shown));
});

test('REST shows each record but the refused ones', async () => {
  const response = await fetch(`${open.url}/api/classifications`, { headers: { 'x-api-key': TEST_KEY } });
  const records = (await response.json()) as { identifier: string }[];
  const found = new Set(records.map(({ identifier }) => identifier));
  found.delete(identifierOf(spoiled.length));
  assert.deepEqual(found, shown);
});

const SELECTION = `
  identifier name refId errors mime sourceUrl hash apiVersion status outcome origin
  assessment { state reasons { code sentence } remoteManifestUrl declaredOrigin }
  marks { kind state field value origin strength }
  submittedBy { via keyName } stepTimes { step } added { analyses error }
  verdict { heuristic classification models }
  provenance {
    sentence { en it } source fault remoteManifestUrl outer { source outcome host reason } lists { id sha256 }
    manifests {
      label title format generator steps { kind action at by sourceType description }
      ingredients { title format relationship manifest } trainingMining { use permission }
      readings { state signedBy { answer name organisation issuer product } notes { code explanation } }
    }
  }
  ... on ImageClassification { c2pa results { model version axis device reason } }`;

test('GraphQL shows each record but the refused ones', async () => {
  const caller = new GraphqlCaller(open.url, TEST_KEY);
  const found = new Set<string>();
  for (let after: string | null = null; ; ) {
    const query = `query($after: String) { classifications(first: 20, after: $after) {
      nodes { ${SELECTION} } pageInfo { hasNextPage endCursor } } }`;
    const { data, errors = [] } = await caller.ask(query, { after });
    const { nodes, pageInfo } = data.classifications;
    for (const { path, extensions } of errors) {
      assert.equal(extensions?.reason, 'damaged');
      assert.equal(path?.length, 3, 'a row as a whole, no field of it');
    }
    for (const node of nodes) if (node !== null) found.add(node.identifier);
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  found.delete(identifierOf(spoiled.length));
  assert.deepEqual(found, shown);
});

test('sheets have a line for each record', async () => {
  for (const format of ['csv', 'jsonl'] as const) {
    const order = { principal: open.admin, filter: {}, format };
    const pieces = await Array.fromAsync(exportRecords(open.app, order, new AbortController().signal));
    const text = pieces.join('');
    const rows = format === 'csv' ? parse(text, { bom: true }) : text.trim().split('\n');
    assert.equal(rows.length, spoiled.length + (format === 'csv' ? 2 : 1));
  }
});

test('each shown record can be written as a message and as a file beside its original', () => {
  for (const identifier of shown) {
    const record = readRecord(open.app, identifier);
    JSON.parse(toWebhookBody(record));
    const summary = summaryOf(record);
    const notice = { ...summary, headline: record.headline, accountName: '', isTest: false };
    for (const toBody of Object.values(NOTICE_BODIES)) JSON.stringify(toBody(notice));
    assert.doesNotMatch(toMail(notice).subject, /[\p{Cc}\u202a-\u202e]/u);
    JSON.parse(toJsonSidecar(summary, NOW));
    assert.ok(!toXmpSidecar(summary, NOW).includes('\0'));
  }
});

test('a package of records with one hostile text each is written whole', async () => {
  // An analysis with an unknown state never ends.
  const identifiers = spoiled.flatMap(({ text, place }, index) =>
    text !== LONG && place.path[0] !== 'state' && shown.has(identifierOf(index)) && index % 29 === 0
      ? [identifierOf(index)]
      : [],
  );
  const input = { principal: open.admin, identifiers, fields: { title: 'hostile' } };
  const { signal } = new AbortController();
  const made = await exportEvidence(open.app, input, signal);
  for await (const _ of made.bytes);
  assert.match(made.packageSha256, /^[0-9a-f]{64}$/);
  const refused = spoiled.findIndex((_, index) => !shown.has(identifierOf(index)));
  const withOne = { ...input, identifiers: [...identifiers, identifierOf(refused)] };
  await assert.rejects(exportEvidence(open.app, withOne, signal), { reason: 'damaged' });
});

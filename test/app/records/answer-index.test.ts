/** Lists by verdict, outcome, state and reference through their indexes, against a plain walk over every record. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Key, open as openRecords } from 'lmdb';
import { makeRandom } from '../../../evaluate/random.ts';
import { auditLine } from '../../../src/app/accounts/audit.ts';
import { updateUser } from '../../../src/app/accounts/users.ts';
import { checkAnswers } from '../../../src/app/appliance/doctor/store-checks.ts';
import type { RawFields } from '../../../src/app/field-parsers.ts';
import { listClassifications } from '../../../src/app/records/classifications.ts';
import { toRecord } from '../../../src/app/records/record.ts';
import type { ClassificationRecord } from '../../../src/domain/answers/record.ts';
import { shownOf } from '../../../src/domain/answers/refused-record.ts';
import { MEDIA_KINDS } from '../../../src/domain/media/media.ts';
import { C2PA_POLICIES, NO_PROVENANCE, type Provenance } from '../../../src/domain/provenance/provenance.ts';
import {
  ANSWER_CLASS_VERSION,
  type AnswerClass,
  fromNumber,
  toNumber,
} from '../../../src/domain/records/answer-class.ts';
import type { Analysis, Classification } from '../../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/records/options.ts';
import { OUTCOMES, outcomeOf } from '../../../src/domain/records/outcome.ts';
import { HEURISTIC_NAMES } from '../../../src/domain/verdicts/heuristics.ts';
import type { AnalysisResult, ImageResult, ModelRun } from '../../../src/domain/verdicts/result.ts';
import { Store } from '../../../src/store/store.ts';
import { TABLES_MAX } from '../../../src/store/tables/schema.ts';
import { identifierOf, seedRecords } from '../../seeded-records.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { type OpenApp, openApp, principalOf } from '../open-app.ts';

const RECORDS = 160;
const CHANGES = 400;
const SEED = 20_261_123;
const REFERENCES = ['', 'desk', 'desk-2'];

const random = makeRandom(SEED);
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

let open: OpenApp;
before(async () => {
  open = await openApp();
});
after(() => open?.[Symbol.asyncDispose]());

function run(model: string): ModelRun {
  const probability = pick([0.02, 0.3, 0.5, 0.55, 0.7, 0.97]);
  const logOdds = Math.log(probability / (1 - probability));
  return {
    ...{ model, version: '1.0.0', task: 'image-origin', axis: 'generated', unknown: random() < 0.1 },
    ...{
      reason: '',
      logit: logOdds,
      logOdds,
      probability,
      elapsedSeconds: 1,
      device: 'cpu',
      weight: pick([1, 3]),
    },
    ...{ cautiousThreshold: 0.9, inconclusiveLow: 0.4, inconclusiveHigh: 0.6 },
  };
}

function provenance(): Provenance {
  if (random() < 0.6) return NO_PROVENANCE;
  const results = { activeManifest: { failure: [], success: [], informational: [] }, ingredientDeltas: [] };
  const c2pa = {
    ...{ manifests: {}, active_manifest: 'a', validation_state: 'Valid', validation_status: [] },
    validation_results: results,
  };
  const declaredOrigin = pick(['generated', 'captured', 'edited'] as const);
  return { ...NO_PROVENANCE, c2pa, declaredOrigin, signer: 'somebody' };
}

function image(): ImageResult {
  return {
    ...{ kind: 'image', mime: 'image/png', width: 640, height: 480, pages: 1, nsfw: null, detections: [] },
    ...{
      runs: pick([[], [run('a')], [run('a'), run('b')], [run('a'), run('b'), run('c')]]),
      provenance: provenance(),
    },
    stability: random() < 0.3 ? [{ name: 'jpeg-60', logOdds: pick([-1, 1]), probability: 0.5 }] : [],
    ...{ hasHeatmap: false, quality: { shortSide: 480, jpegQuality: null, truncated: false } },
  };
}

function resultOf(kind: Classification['kind']): AnalysisResult {
  const { runs, provenance: said, nsfw, mime, width, height } = image();
  const length = { durationSeconds: 3 };
  if (kind === 'video') {
    const parts = { frames: [], damagedFrames: 0, tracks: [], withTrack: false };
    return { kind, mime, width, height, ...length, ...parts, runs, nsfw, provenance: said };
  }
  if (kind === 'audio') {
    const sound = { sampleRate: 16_000, channelCount: 1, speechSeconds: 3, damaged: false };
    return { kind, mime, ...length, ...sound, runs, clips: [], channels: [], provenance: said };
  }
  return image();
}

/** The result with a figure that is no number: no filter knows the answer of such a record. */
function spoiled(result: AnalysisResult): AnalysisResult {
  return { ...result, runs: result.runs.map((one) => ({ ...one, logOdds: 1e308, weight: 1e9 })) };
}

function analysisOf(id: string, kind: Classification['kind']): Analysis {
  const state = pick(['queued', 'running', 'done', 'done', 'done', 'done', 'errored', 'cancelled'] as const);
  const result = state === 'done' ? (random() < 0.05 ? spoiled(resultOf(kind)) : resultOf(kind)) : null;
  return {
    ...{
      id,
      key: `key ${id}`,
      kind,
      hash: '',
      sourceUrl: null,
      options: DEFAULT_OPTIONS,
      models: [],
      accountId: 1,
    },
    ...{ state, attempts: 1, lease: null, error: '', queuedAt: 1, apiVersion: '1.1.0' },
    ...{ endedAt: state === 'queued' || state === 'running' ? null : 2, result },
  };
}

function recordOf(number: number): Classification {
  const kind = pick(MEDIA_KINDS);
  return {
    ...{
      identifier: identifierOf(number),
      accountId: 1,
      kind,
      name: `file ${number}`,
      refId: pick(REFERENCES),
    },
    ...{ hash: identifierOf(number % 40), mime: 'image/png', sizeBytes: 1, sourceUrl: null },
    options: { ...DEFAULT_OPTIONS, preventC2paForces: random() < 0.3 },
    ...{ analysisId: identifierOf(number % 120), origin: 'analysed', cancelled: random() < 0.05, credits: 0 },
    // Some came in the same microsecond.
    ...{ webhookUrl: null, requestId: null, createdAt: 1_000_000 + Math.floor(number / 3) },
  };
}

/** Makes one random change that a use case could make. */
async function change(): Promise<void> {
  const { app, admin } = open;
  const number = Math.floor(random() * RECORDS);
  await app.store.transact((tx) => {
    const known = tx.records.get(identifierOf(number));
    const by = auditLine(app, admin, 'override.set', '');
    if (known === undefined) {
      tx.putClassification(recordOf(number));
      return;
    }
    const { kind, hash, accountId } = known;
    const finding = tx.override(accountId, kind, hash);
    const way = Math.floor(random() * 7);
    if (way === 0) tx.deleteClassification(known, null);
    else if (way === 1)
      tx.putClassification({ ...known, cancelled: !known.cancelled, refId: pick(REFERENCES) });
    else if (way === 2)
      tx.moveClassification(known, { ...known, analysisId: identifierOf(Math.floor(random() * 120)) });
    else if (way === 3 && finding !== undefined) tx.removeOverride(finding, by);
    else if (way === 3 || way === 4) {
      const said = { reason: '', at: by.at, byAccountId: 1, measured: null };
      tx.putOverride({ accountId, kind, hash, classification: pick(['human', 'artificial']), ...said }, by);
    } else tx.putAnalysis(analysisOf(known.analysisId, kind));
  });
}

function find(filter: RawFields, limit: number, kind?: Classification['kind']): string[] {
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = listClassifications(open.app, {
      ...{ principal: principalOf(open.app, 1), limit, filter, kind },
      ...(cursor == null ? {} : { cursor }),
    });
    found.push(...page.entries.map(({ record, refused }) => (record ?? refused).identifier));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

interface Walked {
  classification: Classification;
  /** The built record; undefined if it is refused. */
  record: ClassificationRecord | undefined;
}

function walk(): Walked[] {
  const all = open.app.store.read.records.list({ accountId: 1, limit: RECORDS + 1 });
  return all.map((classification) => {
    try {
      return { classification, record: toRecord(open.app, classification) };
    } catch {
      return { classification, record: undefined };
    }
  });
}

/** The records that match by their own content, without an index. */
function expect(walked: readonly Walked[], matches: (record: ClassificationRecord) => boolean): string[] {
  return walked
    .filter(({ record }) => record !== undefined && matches(record))
    .map(({ classification }) => classification.identifier);
}

function withoutRefused(walked: readonly Walked[], identifiers: readonly string[]): string[] {
  const refused = new Set(
    walked.flatMap(({ classification, record }) => (record === undefined ? classification.identifier : [])),
  );
  return identifiers.filter((identifier) => !refused.has(identifier));
}

function assertFound(heuristic: string): void {
  const walked = walk();
  const check = (filter: RawFields, matches: (record: ClassificationRecord) => boolean): void => {
    for (const kind of [undefined, 'video'] as const) {
      const wanted = expect(
        walked,
        (record) => matches(record) && (kind === undefined || record.kind === kind),
      );
      for (const limit of [7, 100]) {
        const found = withoutRefused(walked, find(filter, limit, kind));
        assert.deepEqual(found, wanted, `${JSON.stringify(filter)} as ${heuristic}, ${kind}`);
      }
    }
  };
  for (const verdict of ['human', 'artificial'])
    check({ verdict }, (one) => one.verdict?.classification === verdict);
  for (const outcome of OUTCOMES) check({ outcome }, (one) => outcomeOf(one) === outcome);
  for (const status of ['new', 'done', 'errored']) check({ status }, (one) => one.status === status);
  check({ ref_id: 'desk' }, ({ refId }) => refId === 'desk');
  check(
    { ref_id: 'desk-2', outcome: 'human' },
    (one) => one.refId === 'desk-2' && outcomeOf(one) === 'human',
  );
  check(
    { search: 'file 1', verdict: 'human' },
    (one) => one.name.includes('file 1') && one.verdict?.classification === 'human',
  );
}

async function readAs(heuristic: string, c2paPolicy: string): Promise<void> {
  await updateUser(open.app, {
    principal: open.admin,
    id: 1,
    fields: { heuristic, c2pa_policy: c2paPolicy },
  });
}

test('whatever happens, each profile finds by the index what it finds by looking at every record', async () => {
  for (let made = 0; made < RECORDS; made++) {
    await open.app.store.transact((tx) => {
      const record = recordOf(made);
      if (tx.analyses.get(record.analysisId) === undefined)
        tx.putAnalysis(analysisOf(record.analysisId, record.kind));
      tx.putClassification(record);
    });
  }
  for (let round = 0; round < HEURISTIC_NAMES.length * C2PA_POLICIES.length; round++) {
    for (let made = 0; made < CHANGES / 12; made++) await change();
    const heuristic = HEURISTIC_NAMES[round % HEURISTIC_NAMES.length] ?? 'balanced';
    const policy = C2PA_POLICIES[round % C2PA_POLICIES.length] ?? 'any';
    await readAs(heuristic, policy);
    assertFound(`${heuristic}, ${policy}`);
  }
  const said = expect(walk(), (record) => record.verdict?.classification === 'artificial');
  assert.ok(
    said.length > 5 &&
      shownOf(listClassifications(open.app, { principal: open.admin, limit: 1 }).entries).length <= 1,
  );
  const [doctor] = await checkAnswers({ store: open.app.store } as Parameters<typeof checkAnswers>[0]);
  assert.equal(doctor?.state, 'good', doctor?.found);
});

test('after a change of the rules the index is made anew, and what is broken off goes on', async () => {
  const { store } = open.app;
  const stale = { version: 'other rules', after: null };
  await store.transact((tx) => {
    tx.setMeta({ formatVersion: 6, createdAt: 1, answers: stale });
  });
  assert.equal(store.read.records.areAnswersComplete, false);
  assertFound('each record looked at');
  const stopped = new AbortController();
  const first = store.makeAnswers(stopped.signal);
  stopped.abort();
  assert.equal((await first).isComplete, false);
  assert.equal(store.read.records.areAnswersComplete, false);
  await change();
  const { isComplete, count: records } = await store.makeAnswers(new AbortController().signal);
  assert.ok(isComplete && records < RECORDS, 'it went on where it had ended');
  assert.ok(store.read.records.areAnswersComplete);
  assertFound('made anew');
});

test('the doctor names a record that is not where a list looks', async () => {
  await using folder = await makeTemporaryFolder();
  {
    await using store = await Store.open({ folder: folder.path });
    await seedRecords(store, 3, () => ({ name: 'a.png', probability: 0.05 }));
  }
  {
    await using stack = new AsyncDisposableStack();
    const root = openRecords({ path: join(folder.path, 'records'), pageSize: 8192, maxDbs: TABLES_MAX });
    stack.defer(() => root.close());
    const index = root.openDB<Buffer, Key[]>('classifications-by-answer', { encoding: 'binary' });
    const [[accountId = 0, , ...place] = []] = [...index.getKeys({})];
    // The index keeps its length: a start would notice a missing entry.
    for (const key of [...index.getKeys({ limit: 1 })]) await index.remove(key);
    await index.put([accountId, 0, ...place], Buffer.alloc(1));
  }
  await using store = await Store.open({ folder: folder.path });
  const [finding] = await checkAnswers({ store } as Parameters<typeof checkAnswers>[0]);
  assert.equal(finding?.state, 'bad');
  assert.match(finding?.found ?? '', new RegExp(`1 are not where a list looks: ${identifierOf(0)}`));
});

test('a class number means what the class says, and one of another version means nothing', () => {
  const classes: AnswerClass[] = [
    { kind: 'image', state: 'new', finding: null, assessment: null, forcing: [], artificialBy: [] },
    { kind: 'audio', state: 'unreadable', finding: 'human', assessment: null, forcing: [], artificialBy: [] },
    {
      ...{ kind: 'video', state: 'done', finding: 'artificial', assessment: 'not_applicable' },
      ...{ forcing: ['any'], artificialBy: ['cautious', 'majority'] },
    },
  ];
  for (const one of classes) assert.deepEqual(fromNumber(toNumber(one)), one);
  assert.equal(new Set(classes.map(toNumber)).size, classes.length);
  assert.equal(fromNumber(1e9), undefined);
  assert.match(ANSWER_CLASS_VERSION, /balanced/);
});

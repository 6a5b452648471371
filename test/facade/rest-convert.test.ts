import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNMEASURED_IMAGE, UNMEASURED_VIDEO } from '../../src/domain/answers/measured.ts';
import type { AudioRecord, ImageRecord, VideoRecord } from '../../src/domain/answers/record.ts';
import type { ModelResult } from '../../src/domain/contract/record-parts.ts';
import type { Axis } from '../../src/domain/packs/model-pack.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import type { Verdict } from '../../src/domain/verdicts/heuristics.ts';
import { toClassification } from '../../src/facade/rest/convert.ts';
import { NEW_RECORD as base } from '../domain/answers/new-record.ts';

const fresh: ImageRecord = { ...base, kind: 'image', ...UNMEASURED_IMAGE };
const head = {
  hash: base.hash,
  identifier: base.identifier,
  status: 'new',
  errors: '',
  name: 'photo.jpg',
  ref_id: '',
  result_url: base.resultUrl,
};
const verdict: Verdict = {
  heuristic: 'balanced',
  confidence: 0.9,
  classification: 'artificial',
  models: ['m'],
};

function result(axis: Axis): ModelResult {
  const classification: ModelResult['classification'] = [
    { label: 'human', score: 0.1 },
    { label: 'artificial', score: 0.9 },
  ];
  return {
    model: axis,
    version: '1',
    axis,
    device: 'cpu',
    unknown: false,
    reason: '',
    elapsedSeconds: 0.5,
    classification,
    places: null,
  };
}

const shown = {
  model: 'generated',
  unknown: false,
  elapsed_time: 0.5,
  classification: [
    { label: 'human', score: 0.1 },
    { label: 'artificial', score: 0.9 },
  ],
  classification_details: {},
};

test('a new image has no verdict, no api_version and empty lists', () => {
  const record = { ...head, c2pa: null, has_heatmap: false, verdicts: [], results: [], details: [] };
  assert.deepEqual(toClassification(fresh), record);
});

test('places are not there: the documented fields of a result are all of them', () => {
  const results = [{ ...result('generated'), places: { count: 24, spread: 1.5 } }];
  const found = toClassification({ ...fresh, results }) as { results: object[] };
  assert.deepEqual(found.results, [shown]);
});

test('is_nsfw is there only when asked and known', () => {
  const asked = { ...DEFAULT_OPTIONS, withNsfw: true };
  const rows: [ImageRecord, boolean | undefined][] = [
    [{ ...fresh, isNsfw: false }, undefined],
    [{ ...fresh, options: asked }, undefined],
    [{ ...fresh, options: asked, isNsfw: false }, false],
    [{ ...fresh, options: asked, isNsfw: true }, true],
  ];
  for (const [record, expected] of rows) {
    assert.equal((toClassification(record) as { is_nsfw?: boolean }).is_nsfw, expected);
  }
});

test('a finished image shows its results but no NSFW entry', () => {
  const box = { x1: 1, x2: 2, y1: 3, y2: 4 };
  const done: ImageRecord = {
    ...fresh,
    status: 'done',
    apiVersion: '1.1.0',
    rules: { made: 1, read: 2 },
    forceClassification: 'human',
    verdict,
    verdicts: [verdict],
    results: [result('generated'), result('nsfw')],
    details: [{ detections: [{ box, results: [result('swapped')], verdict }] }],
  };
  const { models: _models, ...faceVerdict } = verdict;
  const face = { ...shown, model: 'swapped', classification_details: { confidence: 0.9 } };
  assert.deepEqual(toClassification(done), {
    ...head,
    api_version: '1.1.0',
    status: 'done',
    c2pa: null,
    has_heatmap: false,
    verdict,
    verdicts: [verdict],
    force_classification: 'human',
    results: [shown],
    details: [{ detections: [{ box, results: [face], verdict: faceVerdict }] }],
  });
});

test('a sound shows its clips in seconds', () => {
  const record: AudioRecord = {
    ...base,
    kind: 'audio',
    durationSeconds: 4,
    speechSeconds: null,
    transcript: null,
    c2pa: null,
    verdict: null,
    verdicts: [],
    results: [],
    clips: [{ index: 0, startSeconds: 0, endSeconds: 4, results: [result('generated')], verdict }],
    assessment: null,
    marks: null,
    fileFacts: null,
    provenance: null,
  };
  const clips = [{ index: 0, start: 0, end: 4, results: [shown], verdict }];
  assert.deepEqual(toClassification(record), { ...head, verdicts: [], results: [], details: { clips } });
});

test('a sound shows its transcript, with the channel only if there is one', () => {
  const segment = { startSeconds: 1, endSeconds: 2, text: 'Yes', confidence: 0.5, language: 'en' };
  const transcript = {
    ...{ model: 'm', version: '1.0.0', language: 'en', segmentCount: 2, wordCount: 2 },
    ...{ leftOutSeconds: 0, fault: '' },
    segments: [
      { ...segment, channel: null },
      { ...segment, channel: 2 },
    ],
  };
  const audio = { ...base, kind: 'audio', results: [], verdicts: [], clips: [], verdict: null, transcript };
  const written = toClassification(audio as unknown as AudioRecord) as { transcript: { segments: object[] } };
  const shownSegment = { start: 1, end: 2, text: 'Yes', confidence: 0.5, language: 'en' };
  assert.deepEqual(written.transcript.segments, [shownSegment, { ...shownSegment, channel: 2 }]);
});

test('a frame of a video never says that it has a heatmap', () => {
  const counted = { ...verdict, count: 1, unknown: false };
  const record: VideoRecord = {
    ...base,
    kind: 'video',
    ...UNMEASURED_VIDEO,
    width: 1,
    height: 1,
    durationSeconds: 1,
    verdict: counted,
    verdicts: [counted],
    images: [{ ...fresh, hasHeatmap: true }],
    audios: [],
    shots: [],
  };
  const images = [toClassification(fresh)];
  const expected = { ...head, verdict: counted, verdicts: [counted], results: { images, audios: [] } };
  assert.deepEqual(toClassification(record), expected);
});

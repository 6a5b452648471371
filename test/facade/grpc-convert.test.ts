import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { UNMEASURED_IMAGE, UNMEASURED_VIDEO } from '../../src/domain/answers/measured.ts';
import type {
  AudioRecord,
  ClassificationRecord,
  ImageRecord,
  RecordBase,
  VideoRecord,
} from '../../src/domain/answers/record.ts';
import type { ModelResult } from '../../src/domain/contract/record-parts.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { toClassification } from '../../src/facade/grpc/convert.ts';
import { ClassificationSchema } from '../../src/grpc/gen/assay/v1/classification_pb.ts';
import { NEW_RECORD } from '../domain/answers/new-record.ts';

const BASE: Omit<RecordBase, 'kind'> = {
  ...NEW_RECORD,
  apiVersion: '1.1.0',
  rules: { made: 1, read: 2 },
  status: 'done',
  name: 'a.jpg',
  refId: 'r',
  resultUrl: 'http://localhost/classifications/a',
  sizeBytes: 5_000_000_000,
  options: { ...DEFAULT_OPTIONS, withNsfw: true },
  origin: 'joined',
  credits: 2,
  createdAt: 1_700_000_000_123_456,
  stepTimes: [{ step: 'decode', seconds: 0.25, times: 1 }],
  tentative: null,
};

const VERDICT = {
  heuristic: 'balanced',
  confidence: 0.75,
  classification: 'artificial',
  models: ['m'],
} as const;

const RESULT: ModelResult = {
  model: 'm',
  version: '1.0.0',
  axis: 'generated',
  device: 'cpu',
  unknown: false,
  reason: '',
  elapsedSeconds: 0.5,
  classification: [
    { label: 'human', score: 0.25 },
    { label: 'artificial', score: 0.75 },
  ],
  places: { count: 24, spread: 1.5 },
};

const REPORT = {
  manifests: { one: { claim: null, list: [1, 'two', false] } },
  active_manifest: 'one',
  validation_state: 'Valid',
  validation_status: [{ url: 'u', code: 'c', explanation: 'e' }],
  validation_results: {
    activeManifest: { failure: [], success: [], informational: [] },
    ingredientDeltas: [],
  },
};

const IMAGE: ImageRecord = {
  ...BASE,
  kind: 'image',
  ...UNMEASURED_IMAGE,
  width: 640,
  height: 480,
  medium: 'drawing',
  isNsfw: false,
  nsfwProbability: 0.12,
  c2pa: REPORT,
  hasHeatmap: true,
  heatmapLayers: ['origin'],
  verdict: { ...VERDICT, models: ['m'] },
  verdicts: [{ ...VERDICT, models: ['m'] }],
  results: [RESULT],
  details: [
    {
      detections: [
        { box: { x1: 1, y1: 2, x2: 3, y2: 4 }, results: [], verdict: { ...VERDICT, models: ['m'] } },
      ],
    },
  ],
  assessment: {
    state: 'inconclusive',
    strength: 'none',
    probability: 0.5,
    log10LikelihoodRatio: 0,
    reasons: [
      { code: 'WEAK_EVIDENCE', sentence: 'Weak.', said: { en: 'Weak.', it: 'Debole.' }, side: 'doubt' },
    ],
    stability: {
      variants: [{ name: 'jpeg-60', logOdds: -1, probability: 0.25 }],
      flips: 1,
      notNeeded: ['scale-75'],
    },
    quality: { shortSide: 480, jpegQuality: null, truncated: false },
    declaredOrigin: 'composite_with_generated',
    remoteManifestUrl: null,
  },
  marks: [
    { kind: 'c2pa', state: 'absent', field: '', value: '', origin: null, strength: 'none' },
    {
      ...{ kind: 'open_watermark', state: 'found', field: 'pixels', value: 'X' },
      ...{ origin: 'generated', strength: 'strong' },
    },
  ],
};

const VIDEO: VideoRecord = {
  ...BASE,
  kind: 'video',
  ...UNMEASURED_VIDEO,
  width: 640,
  height: 480,
  durationSeconds: 1.5,
  verdict: { ...VERDICT, models: ['m'], count: 0, unknown: true },
  images: [IMAGE],
  audios: [],
  shots: [{ firstFrame: 0, lastFrame: 2, suspiciousFrame: 1 }],
};

const AUDIO: AudioRecord = {
  ...BASE,
  kind: 'audio',
  status: 'new',
  ...{ apiVersion: null, rules: null },
  forceClassification: 'human',
  progress: { step: 'queued', done: 0, total: 1 },
  tentative: {
    frames: [],
    clips: [
      { index: 0, startSeconds: 0, endSeconds: 6, probability: 0.25 },
      { index: 1, startSeconds: 4, endSeconds: 10, probability: null },
    ],
    transcript: [
      { ...{ startSeconds: 1, endSeconds: 2, text: 'Yes', confidence: 0.5, language: 'en' }, channel: 2 },
      { ...{ startSeconds: 1, endSeconds: 2, text: 'No', confidence: 0.5, language: 'en' }, channel: null },
    ],
    ...{ state: 'inconclusive', probability: 0.25 },
  },
  durationSeconds: null,
  speechSeconds: null,
  transcript: null,
  c2pa: null,
  verdict: null,
  verdicts: [],
  results: [],
  clips: [
    { index: 1, startSeconds: 0.5, endSeconds: 1, results: [], verdict: { ...VERDICT, models: ['m'] } },
  ],
  assessment: null,
  marks: null,
  fileFacts: null,
  provenance: null,
};

/** The expected part of the message's JSON; undefined = the field must be absent. */
const CASES: readonly { name: string; record: ClassificationRecord; expected: Record<string, unknown> }[] = [
  {
    name: 'the fields of every record',
    record: IMAGE,
    expected: {
      kind: 'MEDIA_KIND_IMAGE',
      status: 'STATUS_DONE',
      origin: 'ORIGIN_JOINED',
      ...{ api_version: '1.1.0', rules_version: 1, read_by_rules_version: 2 },
      size_bytes: '5000000000',
      credits: '2',
      created_at: '2023-11-14T22:13:20.123456Z',
      ended_at: undefined,
      progress: undefined,
      step_times: [{ step: 'decode', seconds: 0.25, times: 1 }],
      tentative: undefined,
      force_classification: undefined,
      options: { with_nsfw: true, frames: 10, key_frames_method: 'KEY_FRAME_METHOD_IFRAMES' },
    },
  },
  {
    name: 'an image',
    record: IMAGE,
    expected: {
      is_nsfw: false,
      has_heatmap: true,
      c2pa: REPORT,
      verdict: { heuristic: 'balanced', confidence: 0.75, classification: 'LABEL_ARTIFICIAL', models: ['m'] },
      results: [
        {
          ...{ model: 'm', version: '1.0.0', axis: 'AXIS_GENERATED', device: 'cpu', elapsed_time: 0.5 },
          classification: [
            { label: 'LABEL_HUMAN', score: 0.25 },
            { label: 'LABEL_ARTIFICIAL', score: 0.75 },
          ],
          places: { count: 24, spread: 1.5 },
        },
      ],
    },
  },
  {
    name: 'an assessment keeps a zero apart from nothing',
    record: IMAGE,
    expected: {
      assessment: {
        state: 'ASSESSMENT_STATE_INCONCLUSIVE',
        probability: 0.5,
        log10_likelihood_ratio: 0,
        reasons: [
          {
            code: 'WEAK_EVIDENCE',
            sentence: 'Weak.',
            said: { en: 'Weak.', it: 'Debole.' },
            side: 'REASON_SIDE_DOUBT',
          },
        ],
        stability: {
          variants: [{ name: 'jpeg-60', log_odds: -1, probability: 0.25 }],
          flips: 1,
          not_needed: ['scale-75'],
        },
        quality: { short_side: 480 },
        declared_origin: 'DECLARED_ORIGIN_COMPOSITE_WITH_GENERATED',
        strength: 'ASSESSMENT_STRENGTH_NONE',
      },
    },
  },
  {
    name: 'a video says count and unknown even when they are zero and true, and holds its frames',
    record: VIDEO,
    expected: {
      is_nsfw: undefined,
      results: undefined,
      assessment: undefined,
      verdict: {
        ...{ heuristic: 'balanced', confidence: 0.75, classification: 'LABEL_ARTIFICIAL', models: ['m'] },
        ...{ count: 0, unknown: true },
      },
      video: {
        ...{ width: 640, height: 480, duration_seconds: 1.5 },
        // Only the video has the report of the container.
        images: [
          toJson(ClassificationSchema, toClassification({ ...IMAGE, c2pa: null }), {
            useProtoFieldName: true,
          }),
        ],
        shots: [{ last_frame: 2, suspicious_frame: 1 }],
      },
    },
  },
  {
    name: 'a sound under way, forced by its owner',
    record: AUDIO,
    expected: {
      ...{ api_version: undefined, rules_version: undefined, read_by_rules_version: undefined },
      status: 'STATUS_NEW',
      progress: { step: 'queued', total: 1 },
      tentative: {
        clips: [
          { end: 6, probability: 0.25 },
          { index: 1, start: 4, end: 10 },
        ],
        transcript: [
          {
            ...{ start_seconds: 1, end_seconds: 2, text: 'Yes', confidence: 0.5, language: 'en' },
            channel: 2,
          },
          { start_seconds: 1, end_seconds: 2, text: 'No', confidence: 0.5, language: 'en' },
        ],
        ...{ state: 'ASSESSMENT_STATE_INCONCLUSIVE', probability: 0.25 },
      },
      force_classification: 'LABEL_HUMAN',
      verdict: undefined,
      audio: {
        clips: [
          {
            ...{ index: 1, start: 0.5, end: 1 },
            verdict: {
              heuristic: 'balanced',
              confidence: 0.75,
              classification: 'LABEL_ARTIFICIAL',
              models: ['m'],
            },
          },
        ],
      },
    },
  },
];

function check(record: ClassificationRecord, expected: Record<string, unknown>): void {
  const received = fromBinary(ClassificationSchema, toBinary(ClassificationSchema, toClassification(record)));
  const json = toJson(ClassificationSchema, received, { useProtoFieldName: true });
  assert.ok(typeof json === 'object' && json !== null && !Array.isArray(json));
  for (const [field, value] of Object.entries(expected)) assert.deepEqual(json[field], value, field);
}

for (const { name, record, expected } of CASES) {
  test(`gRPC messages: ${name}`, () => check(record, expected));
}

/** The schemas of the description, in the words of docs/interface.md (Resources and their fields). */
import { LABELS, MEDIA_KINDS } from '../../../domain/media/media.ts';
import { HEURISTIC_NAMES } from '../../../domain/verdicts/heuristics.ts';
import { ACCOUNT_SCHEMAS } from './accounts.ts';
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const integer: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };
const label: Schema = { type: 'string', enum: [...LABELS] };
const score: Schema = { type: 'number', minimum: 0, maximum: 1 };
const heuristic: Schema = { type: 'string', enum: [...HEURISTIC_NAMES] };
export const HEX_64: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** All properties are required but those named as optional. */
function record(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const headFields = {
  hash: described(text, 'SHA-256 of the file; empty until an address was fetched'),
  identifier: HEX_64,
  api_version: described(text, 'version at the time of analysis; absent until the analysis completes'),
  status: { type: 'string', enum: ['new', 'done', 'errored'] },
  errors: described(text, 'why, where `status` is `errored`; else empty'),
  name: text,
  ref_id: described(text, 'reference given at submission, or empty'),
  result_url: { type: 'string', format: 'uri' },
};
const nsfwField = described(flag, 'present only where `with_nsfw` was asked, once known');
const forcedField = described(label, 'present only where the user forced the classification');

const verdictFields = {
  heuristic,
  confidence: described(score, 'probability of the stated classification'),
  classification: label,
  models: described(listOf(text), 'models that contributed; `c2pa` where a signature forced it'),
};

const spokenBy = described(
  integer,
  'whose words they are, from 1; present only where the channels hold different voices',
);
const transcriptSegment = record(
  { start: number, end: number, text, confidence: score, language: text, channel: spokenBy },
  ['channel'],
);
const transcript = described(
  record({
    model: text,
    version: text,
    language: described(text, 'ISO 639, of most of the text; empty where there is none'),
    segments: listOf(transcriptSegment),
    segment_count: described(integer, 'of the whole transcript; `segments` has the first 100'),
    word_count: integer,
    left_out_seconds: described(number, 'speech for which no text could be believed'),
    fault: described(text, 'why it is not whole; empty where it is'),
  }),
  'what a machine wrote down; present only where `with_transcript` was asked, once it is there',
);

const statusEntry = record({ url: text, code: text, explanation: text });
const c2pa = record({
  manifests: { type: 'object' },
  active_manifest: text,
  validation_state: text,
  validation_status: listOf(statusEntry),
  validation_results: record({
    activeManifest: record({ failure: listOf({}), success: listOf({}), informational: listOf({}) }),
    ingredientDeltas: listOf({}),
  }),
});

const detection = record({
  box: described(record({ x1: number, x2: number, y1: number, y2: number }), 'pixels of the stored image'),
  results: listOf(reference('ModelResult')),
  verdict: record({ heuristic, confidence: score, classification: label }),
});

const clip = record({
  index: integer,
  start: described(number, 'seconds'),
  end: described(number, 'seconds'),
  results: listOf(reference('ModelResult')),
  verdict: reference('Verdict'),
});

export const SCHEMAS: Record<string, Schema> = {
  Verdict: record(verdictFields),
  VideoVerdict: record({
    ...verdictFields,
    count: described(integer, 'analysed frames and tracks whose own verdict agrees'),
    unknown: described(flag, 'no model gave a usable answer'),
  }),
  ModelResult: record({
    model: text,
    unknown: described(flag, 'the model could not answer; `classification` is empty then'),
    elapsed_time: described(number, 'seconds'),
    classification: listOf(record({ label, score })),
    classification_details: record({ confidence: score }, ['confidence']),
  }),
  C2pa: c2pa,
  ImageClassification: record(
    {
      ...headFields,
      is_nsfw: nsfwField,
      c2pa: { anyOf: [reference('C2pa'), { type: 'null' }] },
      has_heatmap: flag,
      verdict: reference('Verdict'),
      verdicts: listOf(reference('Verdict')),
      force_classification: forcedField,
      results: listOf(reference('ModelResult')),
      details: listOf(record({ detections: listOf(detection) })),
    },
    ['api_version', 'is_nsfw', 'verdict', 'force_classification'],
  ),
  VideoClassification: record(
    {
      ...headFields,
      is_nsfw: nsfwField,
      verdict: reference('VideoVerdict'),
      verdicts: listOf(reference('VideoVerdict')),
      force_classification: forcedField,
      results: record({
        images: listOf(reference('ImageClassification')),
        audios: listOf(reference('AudioClassification')),
      }),
    },
    ['api_version', 'is_nsfw', 'verdict', 'force_classification'],
  ),
  AudioClassification: record(
    {
      ...headFields,
      verdict: reference('Verdict'),
      verdicts: listOf(reference('Verdict')),
      force_classification: forcedField,
      results: listOf(reference('ModelResult')),
      details: record({ clips: listOf(clip) }),
      transcript,
    },
    ['api_version', 'verdict', 'force_classification', 'transcript'],
  ),
  Submission: record({ identifier: HEX_64 }),
  OverrideRequest: record({ classification: label, reason: described(text, 'kept with the override') }, [
    'reason',
  ]),
  OverrideResult: record({
    classification: label,
    type: { type: 'string', enum: [...MEDIA_KINDS] },
    hash: HEX_64,
  }),
  MediaValidation: record(
    {
      valid: { type: 'boolean', const: true },
      filesize: described(integer, 'bytes'),
      mimetype: described(text, 'by content'),
      width: { type: ['integer', 'null'] },
      height: { type: ['integer', 'null'] },
      models: described(listOf(text), 'models the file was validated against'),
    },
    ['width', 'height'],
  ),
  ValidationFailure: record({ valid: { type: 'boolean', const: false }, detail: text }),
  Credits: record({ available_credits: integer, total_spent: integer }),
  Readiness: record({
    ready: flag,
    phase: text,
    reason: { type: ['string', 'null'] },
    version: text,
    uptime_seconds: integer,
    checks: { type: 'object' },
  }),
  ...ACCOUNT_SCHEMAS,
  FieldError: record({ error: { type: 'object', additionalProperties: listOf(text) } }),
  Error: record({ error: text }),
  Message: record({ message: text }),
};

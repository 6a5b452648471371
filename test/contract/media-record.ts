/** A record of any kind as each protocol writes it, brought to one form, so that they can be compared whole. */

export interface CommonVerdict {
  heuristic: string;
  confidence: number;
  classification: string;
  models: string[];
  count: number | null;
  unknown: boolean | null;
}

export interface CommonRecord {
  identifier: string;
  hash: string;
  status: string;
  errors: string;
  name: string;
  apiVersion: string;
  verdict: CommonVerdict | null;
  verdicts: CommonVerdict[];
  results: { model: string; unknown: boolean; scores: (string | number)[][] }[];
  clips: { index: number; start: number; end: number; verdict: CommonVerdict | null }[];
  images: CommonRecord[];
  audios: CommonRecord[];
}

/** Fields of a whole record, which a video's parts do not have. */
export interface WholeRecord extends CommonRecord {
  refId: string;
  resultUrl: string;
  forced: string;
  hasHeatmap: boolean;
  validationState: string;
}

type Json = Record<string, unknown>;

/** From the JSON of REST, of GraphQL (camelCase) or of protobuf: a field is taken where the protocol has it. */
export function toCommon(json: Json): CommonRecord {
  const video = objectOf(json.video);
  const audio = objectOf(json.audio);
  const results = json.results;
  const parts = Array.isArray(results) ? {} : objectOf(results);
  const clips = objectOf(json.details).clips ?? json.clips ?? audio.clips;
  return {
    identifier: String(json.identifier),
    hash: String(json.hash),
    status: wordOf(json.status),
    errors: String(json.errors ?? ''),
    name: String(json.name),
    apiVersion: String(json.api_version ?? json.apiVersion ?? ''),
    verdict: json.verdict ? toVerdict(objectOf(json.verdict)) : null,
    verdicts: listOf(json.verdicts).map(toVerdict),
    results: listOf(results).map(toResult),
    clips: listOf(clips).map((clip) => ({
      index: Number(clip.index),
      start: Number(clip.start),
      end: Number(clip.end),
      verdict: clip.verdict ? toVerdict(objectOf(clip.verdict)) : null,
    })),
    images: listOf(parts.images ?? json.images ?? video.images).map(toCommon),
    audios: listOf(parts.audios ?? json.audios ?? video.audios).map(toCommon),
  };
}

export function toWhole(json: Json): WholeRecord {
  return {
    ...toCommon(json),
    refId: String(json.ref_id ?? json.refId ?? ''),
    resultUrl: String(json.result_url ?? json.resultUrl ?? ''),
    forced: wordOf(json.force_classification ?? json.forceClassification),
    hasHeatmap: (json.has_heatmap ?? json.hasHeatmap) === true,
    validationState: String(objectOf(json.c2pa).validation_state ?? ''),
  };
}

function toVerdict(verdict: Json): CommonVerdict {
  return {
    heuristic: wordOf(verdict.heuristic),
    confidence: Number(verdict.confidence),
    classification: wordOf(verdict.classification),
    models: verdict.models as string[],
    count: (verdict.count as number | null | undefined) ?? null,
    unknown: (verdict.unknown as boolean | null | undefined) ?? null,
  };
}

function toResult(result: Json): CommonRecord['results'][number] {
  return {
    model: String(result.model),
    unknown: result.unknown === true,
    scores: listOf(result.classification).map(({ label, score }) => [wordOf(label), Number(score)]),
  };
}

/** `LABEL_HUMAN`, `HUMAN` and `human` are one word. */
function wordOf(value: unknown): string {
  const word = String(value ?? '')
    .toLowerCase()
    .replace(/^(label|status)_/, '');
  return word === 'unspecified' ? '' : word;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

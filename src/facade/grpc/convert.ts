/** The record as a message: fields are renamed, never computed. */
import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { SubmittedBy } from '../../domain/records/classification.ts';
import type { AnalysisOptions } from '../../domain/records/options.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import type {
  AudioRecord,
  ClassificationRecord,
  ClipRecord,
  DetectionRecord,
  ImageRecord,
  ModelResult,
  VideoRecord,
} from '../../domain/records/record.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Assessment, Quality } from '../../domain/verdicts/assessment.ts';
import type { Verdict } from '../../domain/verdicts/heuristics.ts';
import type { C2paReport } from '../../domain/verdicts/provenance.ts';
import type { Tentative } from '../../domain/verdicts/tentative.ts';
import type { VideoVerdict } from '../../domain/verdicts/video-verdict.ts';
import { type AssessmentSchema, DeclaredOrigin } from '../../grpc/gen/assay/v1/assessment_pb.ts';
import {
  type Classification,
  ClassificationSchema,
  type ClipSchema,
  type DetectionSchema,
  type ModelResultSchema,
  type SubmitterSchema,
  type TentativeSchema,
  type VerdictSchema,
} from '../../grpc/gen/assay/v1/classification_pb.ts';
import { type AnalysisOptionsSchema, Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import {
  ASSESSMENT_STATE,
  AXIS,
  DECLARED_ORIGIN,
  HEATMAP_LAYER,
  KIND,
  LABEL,
  METHOD,
  ORIGIN,
  OUTCOME,
  STATUS,
} from './enums.ts';

type ClassificationInit = Exclude<MessageInitShape<typeof ClassificationSchema>, Classification>;

export function toClassification(record: ClassificationRecord): Classification {
  return create(ClassificationSchema, { ...toCommon(record), ...toFindings(record), media: toMedia(record) });
}

function toCommon(record: ClassificationRecord): ClassificationInit {
  const { identifier, hash, errors, name, refId, resultUrl, mime, cancelled, progress, tentative } = record;
  return {
    ...{ identifier, hash, errors, name, refId, resultUrl, mime, cancelled },
    kind: KIND[record.kind],
    apiVersion: record.apiVersion ?? '',
    rulesVersion: record.rules?.made ?? 0,
    readByRulesVersion: record.rules?.read ?? 0,
    status: STATUS[record.status],
    outcome: OUTCOME[outcomeOf(record)],
    forceClassification:
      record.forceClassification === null ? Label.UNSPECIFIED : LABEL[record.forceClassification],
    sizeBytes: BigInt(record.sizeBytes),
    sourceUrl: record.sourceUrl ?? '',
    options: toOptions(record.options),
    origin: ORIGIN[record.origin],
    credits: BigInt(record.credits),
    createdAt: toTimestamp(record.createdAt),
    ...(record.endedAt === null ? {} : { endedAt: toTimestamp(record.endedAt) }),
    ...(progress === null ? {} : { progress }),
    ...(record.submittedBy === null ? {} : { submittedBy: toSubmitter(record.submittedBy) }),
    ...(tentative === null ? {} : { tentative: toTentative(tentative) }),
  };
}

function toSubmitter({ via, keyId, keyName }: SubmittedBy): MessageInitShape<typeof SubmitterSchema> {
  return { via, keyName, ...(keyId === null ? {} : { keyId: BigInt(keyId) }) };
}

function toTentative({
  frames,
  clips,
  state,
  probability,
}: Tentative): MessageInitShape<typeof TentativeSchema> {
  return {
    frames: frames.map((frame) => ({
      timeSeconds: frame.timeSeconds,
      ...present({ probability: frame.probability }),
    })),
    clips: clips.map((clip) => ({
      ...{ index: clip.index, start: clip.startSeconds, end: clip.endSeconds },
      ...present({ probability: clip.probability }),
    })),
    state: ASSESSMENT_STATE[state],
    ...present({ probability }),
  };
}

function toFindings(record: ClassificationRecord): ClassificationInit {
  const { verdict, assessment } = record;
  return {
    ...(verdict === null ? {} : { verdict: toVerdict(verdict) }),
    verdicts: record.verdicts.map(toVerdict),
    results: record.kind === 'video' ? [] : record.results.map(toModelResult),
    ...(record.kind === 'audio' || record.isNsfw === null ? {} : { isNsfw: record.isNsfw }),
    ...(record.c2pa !== null ? { c2pa: toStruct(record.c2pa) } : {}),
    hasHeatmap: record.kind === 'image' && record.hasHeatmap,
    heatmapLayers: record.kind === 'image' ? record.heatmapLayers.map((layer) => HEATMAP_LAYER[layer]) : [],
    ...(assessment === null ? {} : { assessment: toAssessment(assessment) }),
  };
}

function toMedia(record: ClassificationRecord): NonNullable<ClassificationInit['media']> {
  switch (record.kind) {
    case 'image':
      return { case: 'image', value: toImageDetail(record) };
    case 'video':
      return { case: 'video', value: toVideoDetail(record) };
    case 'audio':
      return { case: 'audio', value: toAudioDetail(record) };
  }
}

function toImageDetail({ width, height, timeSeconds, details }: ImageRecord) {
  return {
    ...present({ width, height, timeSeconds }),
    details: details.map(({ detections }) => ({ detections: detections.map(toDetection) })),
  };
}

function toVideoDetail({ width, height, durationSeconds, images, audios }: VideoRecord) {
  return {
    ...present({ width, height, durationSeconds }),
    // The container's report stands in the video: thirty copies of it would not fit into a message.
    images: images.map((image) => toClassification({ ...image, c2pa: null })),
    audios: audios.map((audio) => toClassification({ ...audio, c2pa: null })),
  };
}

function toAudioDetail({ durationSeconds, speechSeconds, clips }: AudioRecord) {
  return { ...present({ durationSeconds, speechSeconds }), clips: clips.map(toClip) };
}

/** The figures that are known: an absent field says what null says in the record. */
export function present<T extends Record<string, number | null>>(figures: T): { [K in keyof T]?: number } {
  const known: { [K in keyof T]?: number } = {};
  for (const key in figures) {
    const figure = figures[key];
    if (figure !== null && figure !== undefined) known[key] = figure;
  }
  return known;
}

function toDetection({ box, results, verdict }: DetectionRecord): MessageInitShape<typeof DetectionSchema> {
  return { box, results: results.map(toModelResult), verdict: toVerdict(verdict) };
}

function toClip(clip: ClipRecord): MessageInitShape<typeof ClipSchema> {
  return {
    index: clip.index,
    start: clip.startSeconds,
    end: clip.endSeconds,
    results: clip.results.map(toModelResult),
    verdict: toVerdict(clip.verdict),
  };
}

function toVerdict(verdict: Verdict | VideoVerdict): MessageInitShape<typeof VerdictSchema> {
  return {
    heuristic: verdict.heuristic,
    confidence: verdict.confidence,
    classification: LABEL[verdict.classification],
    models: verdict.models,
    ...('count' in verdict ? { count: verdict.count, unknown: verdict.unknown } : {}),
  };
}

function toModelResult(result: ModelResult): MessageInitShape<typeof ModelResultSchema> {
  const { model, version, device, unknown, reason } = result;
  return {
    ...{ model, version, device, unknown, reason },
    axis: AXIS[result.axis],
    elapsedTime: result.elapsedSeconds,
    classification: result.classification.map(({ label, score }) => ({ label: LABEL[label], score })),
  };
}

function toAssessment(assessment: Assessment): MessageInitShape<typeof AssessmentSchema> {
  const { probability, log10LikelihoodRatio, reasons, stability, quality, declaredOrigin } = assessment;
  return {
    state: ASSESSMENT_STATE[assessment.state],
    ...present({ probability, log10LikelihoodRatio }),
    reasons,
    ...(stability === null ? {} : { stability }),
    ...(quality === null ? {} : { quality: toQuality(quality) }),
    declaredOrigin: declaredOrigin === null ? DeclaredOrigin.UNSPECIFIED : DECLARED_ORIGIN[declaredOrigin],
    remoteManifestUrl: assessment.remoteManifestUrl ?? '',
  };
}

function toQuality({ shortSide, truncated, jpegQuality }: Quality) {
  return { shortSide, truncated, ...present({ jpegQuality }) };
}

function toOptions(options: AnalysisOptions): MessageInitShape<typeof AnalysisOptionsSchema> {
  return { ...options, keyFramesMethod: METHOD[options.keyFramesMethod] };
}

/** The report comes out of a JSON reader; the round trip drops what JSON cannot hold, such as undefined. */
function toStruct(report: C2paReport): JsonObject {
  return JSON.parse(JSON.stringify(report));
}

/** The record as docs/interface.md writes it: only renames and leaves out, no schema (a schema made it slower). */
import type {
  AudioRecord,
  ClassificationRecord,
  ImageRecord,
  MediaValidation,
  VideoRecord,
} from '../../domain/answers/record.ts';
import type { DetectionRecord, ModelResult } from '../../domain/contract/record-parts.ts';
import type { Verdict } from '../../domain/verdicts/heuristics.ts';
import type { VideoVerdict } from '../../domain/verdicts/video-verdict.ts';

export function toClassification(record: ClassificationRecord): object {
  switch (record.kind) {
    case 'image':
      return toImage(record, record.hasHeatmap);
    case 'video':
      return toVideo(record);
    case 'audio':
      return toAudio(record);
  }
}

/** The body of a webhook: what GET answers, without the transcript. */
export function toWebhookBody(record: ClassificationRecord): string {
  return JSON.stringify(toClassification(withoutTranscript(record)));
}

export function toMediaValidation(validation: MediaValidation): object {
  return {
    valid: true,
    filesize: validation.sizeBytes,
    mimetype: validation.mime,
    width: validation.width,
    height: validation.height,
    models: validation.models,
  };
}

function toImage(record: ImageRecord, hasHeatmap: boolean): object {
  return {
    ...toHead(record),
    ...toNsfw(record),
    c2pa: record.c2pa,
    has_heatmap: hasHeatmap,
    ...(record.verdict === null ? {} : { verdict: toVerdict(record.verdict) }),
    verdicts: record.verdicts.map(toVerdict),
    ...toForced(record),
    results: toResults(record.results),
    details: record.details.map((detail) => ({ detections: detail.detections.map(toDetection) })),
  };
}

function toVideo(record: VideoRecord): object {
  return {
    ...toHead(record),
    ...toNsfw(record),
    ...(record.verdict === null ? {} : { verdict: toVideoVerdict(record.verdict) }),
    verdicts: record.verdicts.map(toVideoVerdict),
    ...toForced(record),
    results: {
      // Only the newer facades show a frame's map.
      images: record.images.map((frame) => toImage(frame, false)),
      audios: record.audios.map(toAudio),
    },
  };
}

function toAudio(record: AudioRecord): object {
  return {
    ...toHead(record),
    ...(record.verdict === null ? {} : { verdict: toVerdict(record.verdict) }),
    verdicts: record.verdicts.map(toVerdict),
    ...toForced(record),
    results: toResults(record.results),
    details: {
      clips: record.clips.map((clip) => ({
        index: clip.index,
        start: clip.startSeconds,
        end: clip.endSeconds,
        results: toResults(clip.results),
        verdict: toVerdict(clip.verdict),
      })),
    },
    ...toTranscript(record),
  };
}

/** The transcript is present only if it was asked for and exists. */
function toTranscript({ transcript }: AudioRecord): object {
  if (transcript === null) return {};
  const { segments, segmentCount, wordCount, leftOutSeconds, ...rest } = transcript;
  const said = segments.map(({ startSeconds: start, endSeconds: end, channel, ...segment }) => ({
    start,
    end,
    ...segment,
    ...(channel === null ? {} : { channel }),
  }));
  const counts = { segment_count: segmentCount, word_count: wordCount, left_out_seconds: leftOutSeconds };
  return { transcript: { ...rest, segments: said, ...counts } };
}

function toHead(record: ClassificationRecord): object {
  return {
    hash: record.hash,
    identifier: record.identifier,
    ...(record.apiVersion === null ? {} : { api_version: record.apiVersion }),
    status: record.status,
    errors: record.errors,
    name: record.name,
    ref_id: record.refId,
    result_url: record.resultUrl,
  };
}

/** `is_nsfw` is present only if it was asked for and is known: an early `false` would read as an answer. */
function toNsfw(record: ImageRecord | VideoRecord): object {
  return record.options.withNsfw && record.isNsfw !== null ? { is_nsfw: record.isNsfw } : {};
}

function toForced(record: ClassificationRecord): object {
  return record.forceClassification === null ? {} : { force_classification: record.forceClassification };
}

function toVerdict(verdict: Verdict): object {
  return {
    heuristic: verdict.heuristic,
    confidence: verdict.confidence,
    classification: verdict.classification,
    models: verdict.models,
  };
}

function toVideoVerdict(verdict: VideoVerdict): object {
  return { ...toVerdict(verdict), count: verdict.count, unknown: verdict.unknown };
}

/** NSFW sets `is_nsfw` and finding a face says nothing of origin: neither is an entry. */
function toResults(results: readonly ModelResult[]): object[] {
  return results.filter((result) => result.axis !== 'nsfw' && result.axis !== 'face').map(toResult);
}

function toResult(result: ModelResult): object {
  return {
    model: result.model,
    unknown: result.unknown,
    elapsed_time: result.elapsedSeconds,
    classification: result.classification.map(({ label, score }) => ({ label, score })),
    classification_details: {},
  };
}

function toDetection(detection: DetectionRecord): object {
  const { box, verdict } = detection;
  return {
    box: { x1: box.x1, x2: box.x2, y1: box.y1, y2: box.y2 },
    results: detection.results
      .filter((result) => result.axis !== 'nsfw' && result.axis !== 'face')
      .map((result) => ({
        ...toResult(result),
        classification_details: {
          confidence: Math.max(0, ...result.classification.map(({ score }) => score)),
        },
      })),
    verdict: {
      heuristic: verdict.heuristic,
      confidence: verdict.confidence,
      classification: verdict.classification,
    },
  };
}

/** The record without its transcript, which does not leave the box by itself. Pure. */
function withoutTranscript(record: ClassificationRecord): ClassificationRecord {
  if (record.kind === 'audio') return silent(record);
  return record.kind === 'video' ? { ...record, audios: record.audios.map(silent) } : record;
}

const silent = (record: AudioRecord): AudioRecord => ({ ...record, transcript: null });

/** Builds the record that facades serve from what is stored; pure but for the reads. */
import { assessImage } from '../domain/assessment.ts';
import type { Analysis, Classification, Status } from '../domain/classification.ts';
import { AppError } from '../domain/errors.ts';
import { judge } from '../domain/heuristics.ts';
import { forcesArtificial } from '../domain/provenance.ts';
import type { ClassificationRecord, DetectionRecord, ImageRecord, ModelResult } from '../domain/record.ts';
import type { Detection, ImageResult, ModelRun } from '../domain/result.ts';
import type { App } from './app.ts';

export function readRecord(app: App, identifier: string): ClassificationRecord {
  const classification = app.store.read.classification(identifier);
  if (classification === undefined) throw new AppError('classification', 'no such classification');
  return toRecord(app, classification);
}

export function toRecord(app: App, classification: Classification): ClassificationRecord {
  const analysis = app.store.read.analysis(classification.analysisId);
  if (analysis === undefined) throw new AppError('damaged', 'the analysis of this record is missing');
  const base = baseOf(app, classification, analysis);
  switch (classification.kind) {
    case 'image':
      return imageRecord(app, classification, analysis, base);
    case 'audio':
      return {
        ...base,
        kind: 'audio',
        durationSeconds: null,
        verdict: null,
        verdicts: [],
        results: [],
        clips: [],
        assessment: null,
      };
    case 'video':
      return {
        ...base,
        kind: 'video',
        width: null,
        height: null,
        durationSeconds: null,
        isNsfw: null,
        verdict: null,
        verdicts: [],
        images: [],
        audios: [],
        assessment: null,
      };
  }
}

type Base = Omit<ImageRecord, Exclude<keyof ImageRecord, keyof ClassificationRecord> | 'kind' | ImageOnly>;
type ImageOnly =
  | 'width'
  | 'height'
  | 'isNsfw'
  | 'c2pa'
  | 'hasHeatmap'
  | 'verdict'
  | 'verdicts'
  | 'results'
  | 'details'
  | 'assessment';

function baseOf(app: App, classification: Classification, analysis: Analysis): Base {
  const { identifier, accountId, kind, hash } = classification;
  const override = hash === '' ? undefined : app.store.read.override(accountId, kind, hash);
  const status = statusOf(classification, analysis);
  return {
    identifier,
    hash,
    apiVersion: status === 'done' ? analysis.apiVersion : null,
    status,
    errors: errorsOf(classification, analysis),
    name: classification.name,
    refId: classification.refId,
    resultUrl: `${app.config.publicUrl}/classifications/${identifier}`,
    forceClassification: override?.classification ?? null,
    mime: classification.mime,
    sizeBytes: classification.sizeBytes,
    sourceUrl: classification.sourceUrl,
    options: classification.options,
    origin: classification.origin,
    credits: classification.credits,
    createdAt: classification.createdAt,
    endedAt: status === 'new' ? null : analysis.endedAt,
    progress: status === 'new' ? (app.engine.progressOf(analysis.id) ?? WAITING) : null,
    cancelled: classification.cancelled,
  };
}

const WAITING = { step: 'queued', done: 0, total: 1 };

export function statusOf(classification: Classification, analysis: Analysis): Status {
  if (classification.cancelled) return 'errored';
  switch (analysis.state) {
    case 'done':
      return 'done';
    case 'errored':
    case 'cancelled':
      return 'errored';
    default:
      return 'new';
  }
}

function errorsOf(classification: Classification, analysis: Analysis): string {
  if (classification.cancelled || analysis.state === 'cancelled') return 'cancelled';
  return analysis.state === 'errored' ? analysis.error : '';
}

function imageRecord(app: App, classification: Classification, analysis: Analysis, base: Base): ImageRecord {
  const result = base.status === 'done' && analysis.result?.kind === 'image' ? analysis.result : null;
  if (result === null) {
    return {
      ...base,
      kind: 'image',
      width: null,
      height: null,
      isNsfw: null,
      c2pa: null,
      hasHeatmap: false,
      verdict: null,
      verdicts: [],
      results: [],
      details: [],
      assessment: null,
    };
  }
  return { ...base, kind: 'image', ...measuredPart(app, classification, result) };
}

/** Probability from which NSFW is stated. */
const NSFW_THRESHOLD = 0.5;

function measuredPart(
  app: App,
  { accountId, options }: Classification,
  result: ImageResult,
): Pick<ImageRecord, ImageOnly> {
  const account = app.store.read.account(accountId);
  const plan = account === undefined ? undefined : app.store.read.plan(account.planId);
  const policy = account?.c2paPolicy ?? plan?.c2paPolicy ?? 'any';
  const verdicts = judge(result.runs, forcesArtificial(result.provenance, policy, options.preventC2paForces));
  return {
    width: result.width,
    height: result.height,
    isNsfw: result.nsfw === null ? null : result.nsfw >= NSFW_THRESHOLD,
    c2pa: result.provenance.c2pa,
    hasHeatmap: result.hasHeatmap,
    verdict: verdicts.find((verdict) => verdict.heuristic === account?.heuristic) ?? verdicts[0] ?? null,
    verdicts,
    results: result.runs.filter((run) => run.axis !== 'nsfw' && run.axis !== 'face').map(toModelResult),
    details: result.detections.length === 0 ? [] : [{ detections: result.detections.map(toDetection) }],
    assessment: assessImage(result),
  };
}

function toModelResult(run: ModelRun): ModelResult {
  const { model, version, axis, device, unknown, reason, elapsedSeconds, probability } = run;
  const classification: ModelResult['classification'] =
    unknown || probability === null
      ? []
      : [
          { label: 'human', score: 1 - probability },
          { label: 'artificial', score: probability },
        ];
  return { model, version, axis, device, unknown, reason, elapsedSeconds, classification };
}

function toDetection({ box, runs }: Detection): DetectionRecord {
  const [verdict] = judge(runs, false);
  if (verdict === undefined) throw new Error('a heuristic always answers');
  return { box, results: runs.map(toModelResult), verdict };
}

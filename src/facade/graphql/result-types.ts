/** The parts of a record: verdicts, model results, assessment, progress and options. */

import type { Progress } from '../../domain/records/classification.ts';
import type { AnalysisOptions } from '../../domain/records/options.ts';
import type { ClipRecord, DetectionRecord, ModelResult } from '../../domain/records/record.ts';
import type { Assessment, Quality, Stability } from '../../domain/verdicts/assessment.ts';
import type { Verdict } from '../../domain/verdicts/heuristics.ts';
import type { StabilityVariant } from '../../domain/verdicts/result.ts';
import type { Tentative, TentativeClip, TentativeFrame } from '../../domain/verdicts/tentative.ts';
import type { VideoVerdict } from '../../domain/verdicts/video-verdict.ts';
import {
  assessmentStateEnum,
  builder,
  declaredOriginEnum,
  heuristicEnum,
  keyFrameMethodEnum,
  labelEnum,
  renamedTo,
} from './builder.ts';

export const verdictType = builder.objectRef<Verdict | VideoVerdict>('Verdict').implement({
  fields: (t) => ({
    heuristic: t.expose('heuristic', { type: heuristicEnum }),
    confidence: t.exposeFloat('confidence', {
      description: 'Probability of the stated classification, 0 to 1; 0.5 where nothing could answer.',
    }),
    classification: t.expose('classification', { type: labelEnum }),
    models: t.exposeStringList('models'),
    count: t.int({
      nullable: true,
      description: 'Videos only: the frames and tracks behind the verdict.',
      resolve: (verdict) => ('count' in verdict ? verdict.count : null),
    }),
    unknown: t.boolean({
      nullable: true,
      description: 'Videos only: nothing could answer.',
      resolve: (verdict) => ('unknown' in verdict ? verdict.unknown : null),
    }),
  }),
});

const scoreType = builder.objectRef<ModelResult['classification'][number]>('Score').implement({
  fields: (t) => ({
    label: t.expose('label', { type: labelEnum }),
    score: t.exposeFloat('score'),
  }),
});

export const modelResultType = builder.objectRef<ModelResult>('ModelResult').implement({
  fields: (t) => ({
    model: t.exposeString('model'),
    version: t.exposeString('version'),
    axis: t.exposeString('axis'),
    device: t.exposeString('device'),
    unknown: t.exposeBoolean('unknown'),
    reason: t.exposeString('reason'),
    elapsedTime: t.exposeFloat('elapsedSeconds', { description: 'In seconds.' }),
    elapsedSeconds: t.exposeFloat('elapsedSeconds', { deprecationReason: renamedTo('elapsedTime') }),
    classification: t.expose('classification', { type: [scoreType] }),
  }),
});

const boxType = builder.objectRef<DetectionRecord['box']>('Box').implement({
  description: 'Pixels of the oriented picture.',
  fields: (t) => ({
    x1: t.exposeFloat('x1'),
    y1: t.exposeFloat('y1'),
    x2: t.exposeFloat('x2'),
    y2: t.exposeFloat('y2'),
  }),
});

const detectionType = builder.objectRef<DetectionRecord>('Detection').implement({
  fields: (t) => ({
    box: t.expose('box', { type: boxType }),
    results: t.expose('results', { type: [modelResultType] }),
    verdict: t.expose('verdict', { type: verdictType }),
  }),
});

export const detailType = builder.objectRef<{ detections: DetectionRecord[] }>('Detail').implement({
  fields: (t) => ({ detections: t.expose('detections', { type: [detectionType] }) }),
});

export const clipType = builder.objectRef<ClipRecord>('Clip').implement({
  fields: (t) => ({
    index: t.exposeInt('index'),
    start: t.exposeFloat('startSeconds', { description: 'In seconds.' }),
    end: t.exposeFloat('endSeconds', { description: 'In seconds.' }),
    startSeconds: t.exposeFloat('startSeconds', { deprecationReason: renamedTo('start') }),
    endSeconds: t.exposeFloat('endSeconds', { deprecationReason: renamedTo('end') }),
    results: t.expose('results', { type: [modelResultType] }),
    verdict: t.expose('verdict', { type: verdictType }),
  }),
});

const stabilityVariantType = builder.objectRef<StabilityVariant>('StabilityVariant').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    logOdds: t.exposeFloat('logOdds'),
    probability: t.exposeFloat('probability'),
  }),
});

const stabilityType = builder.objectRef<Stability>('Stability').implement({
  fields: (t) => ({
    flips: t.exposeInt('flips', { description: 'Copies on which the answer changed sides.' }),
    variants: t.expose('variants', { type: [stabilityVariantType] }),
  }),
});

const qualityType = builder.objectRef<Quality>('Quality').implement({
  fields: (t) => ({
    shortSide: t.exposeInt('shortSide'),
    jpegQuality: t.exposeInt('jpegQuality', { nullable: true }),
    truncated: t.exposeBoolean('truncated'),
  }),
});

const reasonType = builder.objectRef<Assessment['reasons'][number]>('AssessmentReason').implement({
  fields: (t) => ({
    code: t.exposeString('code'),
    sentence: t.exposeString('sentence'),
  }),
});

export const assessmentType = builder.objectRef<Assessment>('Assessment').implement({
  description: 'What the verdict cannot say: inconclusive, not applicable, and why.',
  fields: (t) => ({
    state: t.expose('state', { type: assessmentStateEnum }),
    probability: t.exposeFloat('probability', {
      nullable: true,
      description: 'Calibrated probability of an artificial origin at even prior odds.',
    }),
    log10LikelihoodRatio: t.exposeFloat('log10LikelihoodRatio', { nullable: true }),
    reasons: t.expose('reasons', { type: [reasonType] }),
    stability: t.expose('stability', { type: stabilityType, nullable: true }),
    quality: t.expose('quality', {
      type: qualityType,
      nullable: true,
      description: 'Of the picture; null for sound.',
    }),
    declaredOrigin: t.expose('declaredOrigin', { type: declaredOriginEnum, nullable: true }),
    remoteManifestUrl: t.exposeString('remoteManifestUrl', { nullable: true }),
  }),
});

export const progressType = builder.objectRef<Progress>('Progress').implement({
  fields: (t) => ({
    step: t.exposeString('step'),
    done: t.exposeInt('done'),
    total: t.exposeInt('total'),
  }),
});

const tentativeFrameType = builder.objectRef<TentativeFrame>('TentativeFrame').implement({
  fields: (t) => ({
    timeSeconds: t.exposeFloat('timeSeconds'),
    probability: t.exposeFloat('probability', {
      nullable: true,
      description: 'Calibrated probability of an artificial origin; null where no model could answer.',
    }),
  }),
});

const tentativeClipType = builder.objectRef<TentativeClip>('TentativeClip').implement({
  fields: (t) => ({
    index: t.exposeInt('index'),
    start: t.exposeFloat('startSeconds', { description: 'In seconds.' }),
    end: t.exposeFloat('endSeconds', { description: 'In seconds.' }),
    startSeconds: t.exposeFloat('startSeconds', { deprecationReason: renamedTo('start') }),
    endSeconds: t.exposeFloat('endSeconds', { deprecationReason: renamedTo('end') }),
    probability: t.exposeFloat('probability', { nullable: true }),
  }),
});

export const tentativeType = builder.objectRef<Tentative>('Tentative').implement({
  description: 'What was judged so far, while the work runs. It may still turn: none of it is a result.',
  fields: (t) => ({
    frames: t.expose('frames', { type: [tentativeFrameType], description: 'Of a video, by time.' }),
    clips: t.expose('clips', {
      type: [tentativeClipType],
      description: 'Of a sound or a video’s track, by time.',
    }),
    state: t.expose('state', {
      type: assessmentStateEnum,
      description: 'From these frames and clips alone.',
    }),
    probability: t.exposeFloat('probability', { nullable: true }),
  }),
});

export const optionsType = builder.objectRef<AnalysisOptions>('AnalysisOptions').implement({
  fields: (t) => ({
    withMorphing: t.exposeBoolean('withMorphing'),
    withTampering: t.exposeBoolean('withTampering'),
    withHeatmap: t.exposeBoolean('withHeatmap'),
    withNsfw: t.exposeBoolean('withNsfw'),
    withAudio: t.exposeBoolean('withAudio'),
    preventC2paForces: t.exposeBoolean('preventC2paForces'),
    frames: t.exposeInt('frames'),
    keyFrames: t.exposeBoolean('keyFrames'),
    keyFramesMethod: t.expose('keyFramesMethod', { type: keyFrameMethodEnum }),
    ensureFacePerFrame: t.exposeBoolean('ensureFacePerFrame'),
  }),
});

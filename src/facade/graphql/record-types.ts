/** `interface Classification` and its three kinds: the record of domain/record.ts in camelCase. */

import { listRenditions } from '../../app/records/renditions.ts';
import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { SubmittedBy } from '../../domain/records/classification.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import type {
  AudioRecord,
  ClassificationRecord,
  ImageRecord,
  VideoRecord,
} from '../../domain/records/record.ts';
import {
  builder,
  heatmapLayerEnum,
  labelEnum,
  mediaKindEnum,
  originEnum,
  outcomeEnum,
  renamedTo,
  statusEnum,
} from './builder.ts';
import { renditionType } from './rendition-types.ts';
import {
  assessmentType,
  clipType,
  detailType,
  modelResultType,
  optionsType,
  progressType,
  tentativeType,
  verdictType,
} from './result-types.ts';

/** REST documents the map of the origin only; the others are stored media. */
function heatmapPath(identifier: string, layer: HeatmapLayer): string {
  const part = encodeURIComponent(identifier);
  if (layer === 'origin') return `/api/classification/heatmap/${part}`;
  return `/media/${part}/heatmap?layer=${layer}`;
}

const TYPE_NAMES = {
  image: 'ImageClassification',
  video: 'VideoClassification',
  audio: 'AudioClassification',
} as const;

const submittedByType = builder.objectRef<SubmittedBy>('SubmittedBy').implement({
  fields: (t) => ({
    via: t.exposeString('via', { description: 'rest, graphql, grpc or dashboard.' }),
    keyId: t.id({
      nullable: true,
      description: 'Null where a person was signed in at the page.',
      resolve: ({ keyId }) => (keyId === null ? null : String(keyId)),
    }),
    keyName: t.exposeString('keyName', { description: 'As the key was named then.' }),
  }),
});

export const classificationType = builder.interfaceRef<ClassificationRecord>('Classification').implement({
  resolveType: (record) => TYPE_NAMES[record.kind],
  fields: (t) => ({
    identifier: t.exposeID('identifier'),
    kind: t.expose('kind', { type: mediaKindEnum }),
    hash: t.exposeString('hash', {
      description: 'SHA-256 of the file in hex, empty while an address has not been fetched.',
    }),
    apiVersion: t.exposeString('apiVersion', { nullable: true }),
    rulesVersion: t.int({
      nullable: true,
      description:
        'Of the rules (heuristics, assessment, pooling, texts) in force when it was measured; null until the analysis completes.',
      resolve: ({ rules }) => rules?.made,
    }),
    readByRulesVersion: t.int({
      nullable: true,
      description: 'Of the rules that read its figures now, by which verdicts and assessment are derived.',
      resolve: ({ rules }) => rules?.read,
    }),
    status: t.expose('status', { type: statusEnum }),
    outcome: t.field({ type: outcomeEnum, resolve: outcomeOf }),
    errors: t.exposeString('errors', { description: 'Why the work failed; empty where it did not.' }),
    name: t.exposeString('name'),
    refId: t.exposeString('refId'),
    resultUrl: t.exposeString('resultUrl'),
    forceClassification: t.expose('forceClassification', { type: labelEnum, nullable: true }),
    filesize: t.expose('sizeBytes', { type: 'Long', description: 'In bytes.' }),
    mimetype: t.exposeString('mime'),
    sizeBytes: t.expose('sizeBytes', { type: 'Long', deprecationReason: renamedTo('filesize') }),
    mime: t.exposeString('mime', { deprecationReason: renamedTo('mimetype') }),
    sourceUrl: t.exposeString('sourceUrl', { nullable: true }),
    options: t.expose('options', { type: optionsType }),
    origin: t.expose('origin', { type: originEnum }),
    credits: t.exposeFloat('credits'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    progress: t.expose('progress', {
      type: progressType,
      nullable: true,
      description: 'Present while the work waits or runs.',
    }),
    tentative: t.expose('tentative', {
      type: tentativeType,
      nullable: true,
      description: 'What was found so far; only while a video or a sound is analysed.',
    }),
    renditions: t.field({
      type: [renditionType],
      description: 'What is or can be made of the file for a browser to show; empty once the file is gone.',
      resolve: (record, _, { app }) => listRenditions(app, record),
    }),
    cancelled: t.exposeBoolean('cancelled'),
    submittedBy: t.expose('submittedBy', {
      type: submittedByType,
      nullable: true,
      description: 'Null in records of versions that did not note it.',
    }),
    verdict: t.expose('verdict', { type: verdictType, nullable: true }),
    verdicts: t.expose('verdicts', { type: [verdictType] }),
    assessment: t.expose('assessment', { type: assessmentType, nullable: true }),
  }),
});

export const imageType = builder.objectRef<ImageRecord>('ImageClassification').implement({
  interfaces: [classificationType],
  fields: (t) => ({
    timeSeconds: t.exposeFloat('timeSeconds', {
      nullable: true,
      description: 'Where a frame is in its video; null for a picture of its own.',
    }),
    width: t.exposeInt('width', { nullable: true }),
    height: t.exposeInt('height', { nullable: true }),
    isNsfw: t.exposeBoolean('isNsfw', { nullable: true }),
    c2pa: t.field({ type: 'JSON', nullable: true, resolve: (record) => record.c2pa }),
    hasHeatmap: t.exposeBoolean('hasHeatmap'),
    heatmapUrl: t.string({
      nullable: true,
      description: 'Where a map can be fetched (PNG, with the same key); null where it was not made.',
      args: { layer: t.arg({ type: heatmapLayerEnum, required: true, defaultValue: 'origin' }) },
      resolve: (record, { layer }, { app }) =>
        record.heatmapLayers.includes(layer)
          ? app.config.publicUrl + heatmapPath(record.identifier, layer)
          : null,
    }),
    heatmapLayers: t.expose('heatmapLayers', {
      type: [heatmapLayerEnum],
      description: 'The maps that were made.',
    }),
    results: t.expose('results', { type: [modelResultType] }),
    details: t.expose('details', { type: [detailType] }),
  }),
});

export const audioType = builder.objectRef<AudioRecord>('AudioClassification').implement({
  interfaces: [classificationType],
  fields: (t) => ({
    durationSeconds: t.exposeFloat('durationSeconds', { nullable: true }),
    speechSeconds: t.exposeFloat('speechSeconds', {
      nullable: true,
      description: 'What of it is speech; only speech is judged.',
    }),
    c2pa: t.field({ type: 'JSON', nullable: true, resolve: (record) => record.c2pa }),
    results: t.expose('results', { type: [modelResultType] }),
    clips: t.expose('clips', { type: [clipType] }),
  }),
});

export const videoType = builder.objectRef<VideoRecord>('VideoClassification').implement({
  interfaces: [classificationType],
  fields: (t) => ({
    width: t.exposeInt('width', { nullable: true }),
    height: t.exposeInt('height', { nullable: true }),
    durationSeconds: t.exposeFloat('durationSeconds', { nullable: true }),
    isNsfw: t.exposeBoolean('isNsfw', { nullable: true }),
    c2pa: t.field({ type: 'JSON', nullable: true, resolve: (record) => record.c2pa }),
    images: t.expose('images', { type: [imageType] }),
    audios: t.expose('audios', { type: [audioType] }),
  }),
});

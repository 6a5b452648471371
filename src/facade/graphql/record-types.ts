/** `interface Classification` and its three kinds: the record of domain/answers/record.ts in camelCase. */
import { rightsOn } from '../../app/records/classifications.ts';
import { listRenditions, RENDITION } from '../../app/records/renditions.ts';
import { seenAgain, seenBefore } from '../../app/records/seen-before.ts';
import type {
  AudioRecord,
  ClassificationRecord,
  ImageRecord,
  VideoRecord,
} from '../../domain/answers/record.ts';
import { AUDIO, FINDINGS, IMAGE, RECORD, VIDEO } from '../../domain/contract/record.ts';
import { RECORD_OPERATION } from '../../domain/desk.ts';
import type { HeatmapLayer } from '../../domain/media/heatmap.ts';
import type { SeenBefore } from '../../domain/records/seen-before.ts';
import { TRANSCRIPT_FILES } from '../../domain/transcripts/transcript-formats.ts';
import { builder, enumOf, heatmapLayerEnum, transcriptFormatEnum } from './builder.ts';
import { fieldsOf, findType, nameInterface, nameType, typeOfNoun } from './nouns.ts';

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

export const classificationType = builder.interfaceRef<ClassificationRecord>('Classification').implement({
  resolveType: (record) => TYPE_NAMES[record.kind],
  fields: (t) => ({
    ...fieldsOf(t, { ...RECORD, ...FINDINGS }),
    rulesVersion: t.int({
      nullable: true,
      description:
        'Version of the rules (heuristics, assessment, pooling, texts) in force when it was measured; null until the analysis completes.',
      resolve: ({ rules }) => rules?.made,
    }),
    readByRulesVersion: t.int({
      nullable: true,
      description:
        'Version of the rules that read its figures now, by which verdicts and assessment are derived.',
      resolve: ({ rules }) => rules?.read,
    }),
    rights: t.field({
      type: [enumOf(RECORD_OPERATION)],
      description: 'What the caller may do with it.',
      resolve: ({ identifier }, _, context) =>
        rightsOn(context.app, { reader: context.reader(), identifier }),
    }),
    seenBefore: t.field({
      type: [findType<SeenBefore>('SeenBefore')],
      description: 'Earlier records of the same picture, the nearest first; empty for frames and tracks.',
      resolve: ({ identifier }, _, context) =>
        seenBefore(context.app, { reader: context.reader(), identifier }),
    }),
    seenAgain: t.field({
      type: [findType<SeenBefore>('SeenBefore')],
      description: 'Later records of the same picture, the nearest first; empty for frames and tracks.',
      resolve: ({ identifier }, _, context) =>
        seenAgain(context.app, { reader: context.reader(), identifier }),
    }),
    renditions: t.field({
      type: [typeOfNoun(RENDITION)],
      description: 'What is or can be made of the file for a browser to show; empty once the file is gone.',
      resolve: (record, _, { app }) => listRenditions(app, record),
    }),
  }),
});

nameInterface('Classification', classificationType);

nameType<ImageRecord>('ImageClassification').implement({
  interfaces: [classificationType],
  fields: (t) => ({
    ...fieldsOf(t, IMAGE),
    heatmapUrl: t.string({
      nullable: true,
      description: 'Where a map can be fetched (PNG, with the same key); null where it was not made.',
      args: { layer: t.arg({ type: heatmapLayerEnum, required: true, defaultValue: 'origin' }) },
      resolve: (record, { layer }, { app }) =>
        record.heatmapLayers.includes(layer)
          ? app.config.publicUrl + heatmapPath(record.identifier, layer)
          : null,
    }),
  }),
});

nameType<AudioRecord>('AudioClassification').implement({
  interfaces: [classificationType],
  fields: (t) => ({
    ...fieldsOf(t, AUDIO),
    transcriptUrl: t.string({
      nullable: true,
      description: 'Where the whole transcript can be fetched, with the same key; null where there is none.',
      args: { format: t.arg({ type: transcriptFormatEnum, required: true, defaultValue: 'srt' }) },
      resolve: ({ identifier, transcript }, { format }, { app }) =>
        transcript === null
          ? null
          : `${app.config.publicUrl}/media/${encodeURIComponent(identifier)}/${TRANSCRIPT_FILES[format].name}`,
    }),
  }),
});

nameType<VideoRecord>('VideoClassification').implement({
  interfaces: [classificationType],
  fields: (t) => fieldsOf(t, VIDEO),
});

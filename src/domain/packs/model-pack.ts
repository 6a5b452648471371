/** A pack's `model.json`: printed to schema/model-pack.schema.json and checked for drift. Files lie inside its own folder. */
import { z } from 'zod';
import { MEDIA } from '../media/medium.ts';
import { resizedView, textureRefusal } from '../media/resized-view.ts';
import {
  aboutPack,
  imageDecision,
  imageInput,
  judging,
  kindOfPicture,
  measuredVersion,
  outsideFigures,
  probability,
  rates,
  speechDecision,
} from './pack-parts.ts';
import { stabilityReach } from './stability-reach.ts';
import { type TamperingPack, tamperingPackSchema } from './tampering-pack.ts';
import { type TranscriptionPack, transcriptionPackSchema } from './transcription-pack.ts';
import { VIEW_AXIS_NAMES } from './view-axes.ts';
import { faceDetectorPackSchema, facePackSchema, labelsPackSchema } from './view-pack.ts';

export type { Axis } from './pack-parts.ts';

/** Tasks of packs that judge a picture by its patches, and a video's frames. */
export const IMAGE_TASKS = ['image-origin'] as const;
export const MODEL_TASKS = [
  ...IMAGE_TASKS,
  'image-tampering',
  'face-origin',
  ...VIEW_AXIS_NAMES,
  'face-detection',
  'speech-origin',
  'voice-activity',
  'transcription',
] as const;
export type ModelTask = (typeof MODEL_TASKS)[number];

/** All models hear sound at this rate. */
export const SOUND_SAMPLE_RATE = 16_000;

const patchesView = z.strictObject({
  type: z.literal('patches'),
  size: z.int().min(16).max(1024).describe('Side of a square patch in pixels, cut at native resolution.'),
  align: z.int().min(1).max(64).describe('Patch positions are multiples of this.'),
  countMax: z.int().min(1).max(1024).describe('Most patches for a verdict.'),
  candidateCountMax: z
    .int()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'So many places are spread evenly, and the countMax with the most detail are looked at; else places are spread evenly.',
    ),
  candidateStep: z
    .int()
    .min(8)
    .max(1024)
    .optional()
    .describe(
      'With candidateCountMax: pixels between such places at least; less than size lets them overlap. Without it they lie side by side.',
    ),
  detailShareMin: probability
    .optional()
    .describe(
      'With candidateCountMax: places with less than this share of the detail of the most detailed one are left out; 0.5 without it.',
    ),
  mapCountMax: z.int().min(1).max(4096).describe('Most patches for a heatmap.'),
});

const windowsView = z.strictObject({
  type: z.literal('windows'),
  windowSamples: z
    .int()
    .min(SOUND_SAMPLE_RATE / 10)
    .max(SOUND_SAMPLE_RATE * 30)
    .describe('Length of a window in samples.'),
  hopSamples: z
    .int()
    .min(SOUND_SAMPLE_RATE / 100)
    .describe('From one window to the next.'),
  countMax: z.int().min(1).max(4096).describe('Most windows for a verdict.'),
});

const framesView = z.strictObject({
  type: z.literal('frames'),
  frameSamples: z.int().min(64).max(4096).describe('Samples that each step of the detector takes.'),
  contextSamples: z.int().min(0).max(4096).describe('Samples before a frame that it sees again.'),
});

const statedFigures = z
  .strictObject({
    by: z.string().min(1),
    seen: z
      .boolean()
      .optional()
      .describe(
        'Whether it was trained on a part of the set that it was measured on: such figures are its best case.',
      ),
    tiers: z
      .array(
        z.strictObject({
          tier: z.string(),
          balancedAccuracy: probability,
          humanAccuracy: probability.optional(),
        }),
      )
      .min(1),
  })
  .describe('Models of others: not measured by us.');

const imagePackSchema = z
  .strictObject({
    ...aboutPack,
    task: z.enum(IMAGE_TASKS),
    mediaKind: z.literal('image'),
    ...judging,
    decision: imageDecision,
    media: z
      .array(z.enum(MEDIA))
      .min(2)
      .max(MEDIA.length)
      .optional()
      .describe(
        'After the logit the output has one more of each patch for each of these: the softmax of their means says what the picture is of.',
      ),
    input: imageInput,
    view: z.discriminatedUnion('type', [patchesView, resizedView]),
    refusal: textureRefusal.optional(),
    stability: stabilityReach.optional(),
    minimumShortSide: z.int().min(1),
    statedFigures: statedFigures.optional(),
    outside: outsideFigures,
    figures: z.array(
      z.strictObject({
        tier: z.string(),
        sources: z.int(),
        images: z.int(),
        version: measuredVersion.optional(),
        ...rates,
        kinds: z.array(kindOfPicture).optional(),
      }),
    ),
  })
  .refine(({ media = [] }) => new Set(media).size === media.length, {
    path: ['media'],
    error: 'expected each medium once',
  })
  .refine(({ media = [], decision }) => decision.noPhotograph === undefined || media.includes('photograph'), {
    path: ['media'],
    error: 'expected photograph among them, since decision.noPhotograph is decided by it',
  });

const soundInput = z.strictObject({
  name: z.string(),
  layout: z.literal('samples'),
  sampleRate: z.literal(SOUND_SAMPLE_RATE),
});

const speechPackSchema = z.strictObject({
  ...aboutPack,
  task: z.literal('speech-origin'),
  mediaKind: z.literal('audio'),
  ...judging,
  decision: speechDecision,
  input: soundInput,
  view: windowsView,
  minimumSpeechSeconds: z.number().positive().describe('With less speech in the sound it does not answer.'),
  outside: outsideFigures,
  figures: z.array(z.strictObject({ tier: z.string(), sources: z.int(), clips: z.int(), ...rates })),
});

/** Finds speech; only a pack of Assay may. */
const detectorPackSchema = z.strictObject({
  ...aboutPack,
  task: z.literal('voice-activity'),
  mediaKind: z.literal('audio'),
  input: soundInput,
  view: framesView,
  output: z.strictObject({ name: z.string(), type: z.literal('probability'), positive: z.literal('speech') }),
});

export const modelPackSchema = z
  .discriminatedUnion('task', [
    imagePackSchema,
    tamperingPackSchema,
    facePackSchema,
    labelsPackSchema,
    faceDetectorPackSchema,
    speechPackSchema,
    detectorPackSchema,
    transcriptionPackSchema,
  ])
  .meta({ title: 'Assay model pack', description: 'The model.json of a folder under models/.' });

export type ModelPack = z.infer<typeof modelPackSchema>;
export type ImagePack = z.infer<typeof imagePackSchema> & {
  /** As it judges the frames of a video: by the logit that the output ends in. */
  readsLastLogit?: boolean;
};
export type SpeechPack = z.infer<typeof speechPackSchema>;
/** Finds speech in a sound; judges nothing. */
export type DetectorPack = z.infer<typeof detectorPackSchema>;
export type FacePack = z.infer<typeof facePackSchema>;
/** Answers an axis by the probabilities of labels. */
export type LabelsPack = z.infer<typeof labelsPackSchema>;
/** Finds faces in a picture; judges nothing. */
export type FaceDetectorPack = z.infer<typeof faceDetectorPackSchema>;
/** A pack whose answer is a score. */
export type JudgingPack = ImagePack | TamperingPack | FacePack | SpeechPack;

export function isImagePack(pack: ModelPack): pack is ImagePack {
  return IMAGE_TASKS.some((task) => task === pack.task);
}

export const isTamperingPack = (pack: ModelPack): pack is TamperingPack => pack.task === 'image-tampering';

export const isFacePack = (pack: ModelPack): pack is FacePack => pack.task === 'face-origin';

export function isLabelsPack(pack: ModelPack): pack is LabelsPack {
  return pack.output.type === 'probabilities';
}

export function isFaceDetectorPack(pack: ModelPack): pack is FaceDetectorPack {
  return pack.task === 'face-detection';
}

export const isSpeechPack = (pack: ModelPack): pack is SpeechPack => pack.task === 'speech-origin';

export const isDetectorPack = (pack: ModelPack): pack is DetectorPack => pack.task === 'voice-activity';

export function isTranscriptionPack(pack: ModelPack): pack is TranscriptionPack {
  return pack.task === 'transcription';
}

/** Whether it stays on the CPU by design, which is no fault of the box. */
export function staysOnCpu({ task, device }: Pick<ModelPack, 'task' | 'device'>): boolean {
  return task === 'transcription' || device === 'cpu';
}

export function imageOutputLength({ media = [], decision, readsLastLogit = false }: ImagePack): number {
  const hasFrameLogit = readsLastLogit || decision.frames?.line !== undefined;
  return 1 + media.length + (hasFrameLogit ? 1 : 0);
}

/** `id@version`, the form in cache keys and records. */
export const packKey = (pack: Pick<ModelPack, 'id' | 'version'>): string => `${pack.id}@${pack.version}`;

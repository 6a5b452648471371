/**
 * A model pack's `model.json`: the schema is the contract, printed to schema/model-pack.schema.json and checked
 * for drift. A pack names files only inside its own folder.
 */
import { z } from 'zod';

/** Tasks of packs that look at pictures; a video is judged by them on its frames. */
export const IMAGE_TASKS = [
  'image-origin',
  'face-origin',
  'image-tampering',
  'nsfw',
  'face-detection',
] as const;
export const MODEL_TASKS = [...IMAGE_TASKS, 'speech-origin', 'voice-activity'] as const;
export type ModelTask = (typeof MODEL_TASKS)[number];

/** What a score speaks about. On REST every axis shows as human / artificial; the new facades name it. */
export const AXES = ['generated', 'swapped', 'edited', 'nsfw', 'face'] as const;
export type Axis = (typeof AXES)[number];

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a plain file name inside the pack');
const probability = z.number().min(0).max(1);

/** All models hear sound at this rate. */
export const SOUND_SAMPLE_RATE = 16_000;

const patchesView = z.strictObject({
  type: z.literal('patches'),
  size: z.int().min(16).max(1024).describe('Side of a square patch in pixels, cut at native resolution.'),
  align: z.int().min(1).max(64).describe('Patch positions are multiples of this.'),
  countMax: z.int().min(1).max(1024).describe('Most patches for a verdict.'),
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

const rates = {
  auc: probability,
  aucLow: probability,
  aucHigh: probability,
  balancedAccuracy: probability,
  tprAtFpr5: probability,
  tprAtFpr1: probability,
  ece: probability,
  falseAlarmRateBalanced: probability,
  falseAlarmRateCautious: probability,
  recallCautious: probability,
};

const line = { slope: z.number(), intercept: z.number() };

const golden = z.strictObject({
  seed: z.int(),
  tolerance: z.number().positive(),
  expected: z.array(z.number()).min(1),
});

/** What every pack says of itself. */
const about = {
  schema: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{1,63}$/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  name: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  licence: z.string().min(1),
  source: z.string().min(1),
  trainedOn: z.string().min(1),
  golden,
};

/** What a pack has that judges the origin. */
const judging = {
  axis: z.enum(AXES),
  file: fileName,
  output: z.strictObject({
    name: z.string(),
    type: z.literal('logit'),
    positive: z.literal('artificial'),
    aggregation: z.literal('mean'),
  }),
  calibration: z.strictObject({
    type: z.literal('platt'),
    ...line,
    set: z.string(),
    tiers: z
      .array(z.strictObject({ name: z.string(), jpegQualityMax: z.number().optional(), ...line }))
      .optional(),
  }),
  decision: z.strictObject({
    cautiousThreshold: probability,
    inconclusiveLow: probability,
    inconclusiveHigh: probability,
    weight: z.number().positive(),
  }),
};

const imagePackSchema = z.strictObject({
  ...about,
  task: z.enum(IMAGE_TASKS),
  mediaKind: z.literal('image'),
  ...judging,
  input: z.strictObject({
    name: z.string(),
    layout: z.literal('nchw'),
    colour: z.literal('rgb'),
    mean: z.tuple([z.number(), z.number(), z.number()]),
    std: z.tuple([z.number(), z.number(), z.number()]),
  }),
  view: patchesView,
  minimumShortSide: z.int().min(1),
  figures: z.array(z.strictObject({ tier: z.string(), sources: z.int(), images: z.int(), ...rates })),
});

const soundInput = z.strictObject({
  name: z.string(),
  layout: z.literal('samples'),
  sampleRate: z.literal(SOUND_SAMPLE_RATE),
});

const speechPackSchema = z.strictObject({
  ...about,
  task: z.literal('speech-origin'),
  mediaKind: z.literal('audio'),
  ...judging,
  input: soundInput,
  view: windowsView,
  minimumSpeechSeconds: z.number().positive().describe('With less speech in the sound it does not answer.'),
  figures: z.array(z.strictObject({ tier: z.string(), sources: z.int(), clips: z.int(), ...rates })),
});

/** Comes with Assay only: its model lies in an npm package, outside its own folder. */
const detectorPackSchema = z.strictObject({
  ...about,
  task: z.literal('voice-activity'),
  mediaKind: z.literal('audio'),
  file: z.strictObject({ package: z.string().min(1), path: z.string().min(1) }),
  input: soundInput,
  view: framesView,
  output: z.strictObject({ name: z.string(), type: z.literal('probability'), positive: z.literal('speech') }),
});

export const modelPackSchema = z
  .discriminatedUnion('task', [imagePackSchema, speechPackSchema, detectorPackSchema])
  .meta({ title: 'Assay model pack', description: 'The model.json of a folder under models/.' });

export type ModelPack = z.infer<typeof modelPackSchema>;
export type ImagePack = z.infer<typeof imagePackSchema>;
export type SpeechPack = z.infer<typeof speechPackSchema>;
/** Finds speech in a sound; judges nothing. */
export type DetectorPack = z.infer<typeof detectorPackSchema>;
/** A pack whose answer is a score. */
export type JudgingPack = ImagePack | SpeechPack;

export function isImagePack(pack: ModelPack): pack is ImagePack {
  return pack.mediaKind === 'image';
}

export function isSpeechPack(pack: ModelPack): pack is SpeechPack {
  return pack.task === 'speech-origin';
}

export function isDetectorPack(pack: ModelPack): pack is DetectorPack {
  return pack.task === 'voice-activity';
}

/** `id@version`, the form in cache keys and records. */
export function packKey(pack: Pick<ModelPack, 'id' | 'version'>): string {
  return `${pack.id}@${pack.version}`;
}

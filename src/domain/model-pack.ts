/**
 * A model pack's `model.json`: the schema is the contract, printed to schema/model-pack.schema.json and checked
 * for drift. A pack names files only inside its own folder.
 */
import { z } from 'zod';
import { MEDIA_KINDS } from './media.ts';

export const MODEL_TASKS = [
  'image-origin',
  'face-origin',
  'image-tampering',
  'nsfw',
  'face-detection',
  'speech-origin',
] as const;
export type ModelTask = (typeof MODEL_TASKS)[number];

/** What a score speaks about. On REST every axis shows as human / artificial; the new facades name it. */
export const AXES = ['generated', 'swapped', 'edited', 'nsfw', 'face'] as const;
export type Axis = (typeof AXES)[number];

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a plain file name inside the pack');
const probability = z.number().min(0).max(1);

const patchesView = z.strictObject({
  type: z.literal('patches'),
  size: z.int().min(16).max(1024).describe('Side of a square patch in pixels, cut at native resolution.'),
  align: z.int().min(1).max(64).describe('Patch positions are multiples of this.'),
  countMax: z.int().min(1).max(1024).describe('Most patches for a verdict.'),
  mapCountMax: z.int().min(1).max(4096).describe('Most patches for a heatmap.'),
});

const figures = z.strictObject({
  tier: z.string(),
  sources: z.int(),
  images: z.int(),
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
});

const line = { slope: z.number(), intercept: z.number() };

export const modelPackSchema = z
  .strictObject({
    schema: z.literal(1),
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{1,63}$/),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    name: z.string().min(1),
    task: z.enum(MODEL_TASKS),
    mediaKind: z.enum(MEDIA_KINDS),
    axis: z.enum(AXES),
    file: fileName,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    input: z.strictObject({
      name: z.string(),
      layout: z.literal('nchw'),
      colour: z.literal('rgb'),
      mean: z.tuple([z.number(), z.number(), z.number()]),
      std: z.tuple([z.number(), z.number(), z.number()]),
    }),
    view: patchesView,
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
    minimumShortSide: z.int().min(1),
    licence: z.string().min(1),
    source: z.string().min(1),
    trainedOn: z.string().min(1),
    figures: z.array(figures),
    golden: z.strictObject({
      seed: z.int(),
      tolerance: z.number().positive(),
      expected: z.array(z.number()).min(1),
    }),
  })
  .meta({ title: 'Assay model pack', description: 'The model.json of a folder under models/.' });

export type ModelPack = z.infer<typeof modelPackSchema>;

/** `id@version`, the form in cache keys and records. */
export function packKey(pack: Pick<ModelPack, 'id' | 'version'>): string {
  return `${pack.id}@${pack.version}`;
}

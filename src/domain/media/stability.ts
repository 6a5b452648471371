/** Copies of a picture that show whether an answer survives what the web does to pictures. */

export const STABILITY_VARIANTS = ['jpeg-60', 'scale-75'] as const;
export type StabilityVariantName = (typeof STABILITY_VARIANTS)[number];

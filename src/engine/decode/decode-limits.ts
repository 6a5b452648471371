/** The bounds that every decode child holds against hostile files. */
import { PIXELS_MAX, SIDE_PIXELS_MAX } from '../../domain/limits.ts';

export const DECODE_LIMITS = { pixelsMax: PIXELS_MAX, sidePixelsMax: SIDE_PIXELS_MAX } as const;

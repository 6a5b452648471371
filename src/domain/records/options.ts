/**
 * What a submission may ask for. An option that changes the measured result is part of the analysis key; one
 * that changes only how the result is read (`preventC2paForces`) is not, so that both readings share the work.
 */
import type { MediaKind } from '../media/media.ts';

export const FRAME_COUNTS = [5, 10, 30] as const;
export type FrameCount = (typeof FRAME_COUNTS)[number];
export const FRAMES_DEFAULT: FrameCount = 10;
export const KEY_FRAME_METHODS = ['iframes', 'flow', 'color'] as const;
export type KeyFrameMethod = (typeof KEY_FRAME_METHODS)[number];

export interface AnalysisOptions {
  withMorphing: boolean;
  withTampering: boolean;
  withHeatmap: boolean;
  withNsfw: boolean;
  withAudio: boolean;
  preventC2paForces: boolean;
  frames: FrameCount;
  keyFrames: boolean;
  keyFramesMethod: KeyFrameMethod;
  ensureFacePerFrame: boolean;
}

export const DEFAULT_OPTIONS: Readonly<AnalysisOptions> = Object.freeze({
  withMorphing: false,
  withTampering: false,
  withHeatmap: false,
  withNsfw: false,
  withAudio: false,
  preventC2paForces: false,
  frames: FRAMES_DEFAULT,
  keyFrames: false,
  keyFramesMethod: 'iframes',
  ensureFacePerFrame: false,
});

/** The options that each kind documents; others are unknown fields there and are ignored. */
export const OPTIONS_OF_KIND: Readonly<Record<MediaKind, readonly (keyof AnalysisOptions)[]>> = {
  image: ['withMorphing', 'withTampering', 'withHeatmap', 'withNsfw', 'preventC2paForces'],
  video: [
    'withMorphing',
    'withTampering',
    'withHeatmap',
    'withNsfw',
    'withAudio',
    'preventC2paForces',
    'frames',
    'keyFrames',
    'keyFramesMethod',
    'ensureFacePerFrame',
  ],
  audio: ['preventC2paForces'],
};

const READ_ONLY_OPTIONS: readonly (keyof AnalysisOptions)[] = ['preventC2paForces'];

/** The part of an analysis key that the options decide: stable text, only options that change the result. */
export function optionsKey(kind: MediaKind, options: AnalysisOptions): string {
  return OPTIONS_OF_KIND[kind]
    .filter((name) => !READ_ONLY_OPTIONS.includes(name) && options[name] !== DEFAULT_OPTIONS[name])
    .map((name) => `${name}=${options[name]}`)
    .sort()
    .join('&');
}

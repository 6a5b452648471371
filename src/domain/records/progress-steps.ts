/** The steps of a running analysis, in one closed list: the page has words for each. */
import { VIEW_AXIS_NAMES } from '../packs/view-axes.ts';

/** In the order in which readers may meet them. */
export const PROGRESS_STEPS = [
  'queued',
  'no-broker',
  'no-worker',
  'kept-here',
  'not-ready',
  'header',
  'pixels',
  'patches',
  'quality',
  'provenance',
  'marks',
  'likeness',
  'models',
  ...VIEW_AXIS_NAMES,
  'faces',
  'tampering',
  'heatmap',
  'frame-choice',
  'frames',
  'track',
  'sound',
  'speech',
  'transcript',
  'rendition',
  'peaks',
  'strip',
  'sheet',
  'tiles',
] as const;
export type ProgressStep = (typeof PROGRESS_STEPS)[number];

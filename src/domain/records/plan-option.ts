/** Options that a plan may withhold. */
export const PLAN_OPTIONS = [
  'morphing',
  'tampering',
  'heatmap',
  'nsfw',
  'audio_track',
  'transcript',
  'webhook',
  'foreign_types',
] as const;
export type PlanOption = (typeof PLAN_OPTIONS)[number];

/** A pricing plan: what an account may submit, with which options and models, and at what price. */
import { AUDIO_BYTES_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from '../limits.ts';
import type { MediaKind } from '../media/media.ts';

/** Options that a plan may withhold. */
export const PLAN_OPTIONS = [
  'morphing',
  'tampering',
  'heatmap',
  'nsfw',
  'audio_track',
  'webhook',
  'foreign_types',
] as const;
export type PlanOption = (typeof PLAN_OPTIONS)[number];

/** Which C2PA signatures force `artificial` (DESIGN.md section 4): any, as documented; only a declared generator's; none. */
export const C2PA_POLICIES = ['any', 'generative', 'never'] as const;
export type C2paPolicy = (typeof C2PA_POLICIES)[number];

export interface Plan {
  id: number;
  name: string;
  sku: string;
  kinds: MediaKind[];
  options: PlanOption[];
  /** Credits that one submission of the kind costs. */
  credits: Record<MediaKind, number>;
  /** Credits that a submission with the option costs on top. */
  optionCredits: Partial<Record<PlanOption, number>>;
  /** Model pack ids the plan may use; `all` follows what is installed. */
  models: 'all' | string[];
  /** Submissions and reads a minute; 0 = no limit. */
  rateLimitPerMinute: number;
  fileBytesMax: Record<MediaKind, number>;
  c2paPolicy: C2paPolicy;
  /** Days after which the media's bytes are deleted; 0 = with the record. */
  mediaDays: number;
  /** Days after which the record is deleted; 0 = never. */
  recordDays: number;
  /** Keeps hash and result only: the media's bytes go when the analysis has ended. */
  zeroRetention: boolean;
}

/** The plan of the first start: everything enabled and nothing charged. */
export function appliancePlan(rateLimitPerMinute: number): Plan {
  return {
    id: 1,
    name: 'Appliance',
    sku: 'appliance',
    kinds: ['image', 'video', 'audio'],
    options: [...PLAN_OPTIONS],
    credits: { image: 0, video: 0, audio: 0 },
    optionCredits: {},
    models: 'all',
    rateLimitPerMinute,
    fileBytesMax: { image: IMAGE_BYTES_MAX, video: VIDEO_BYTES_MAX, audio: AUDIO_BYTES_MAX },
    c2paPolicy: 'any',
    mediaDays: 0,
    recordDays: 0,
    zeroRetention: false,
  };
}

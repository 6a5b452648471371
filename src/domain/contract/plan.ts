/** A pricing plan, one row a field: what an account may submit, with which options and models, and at what price. */
import { type Field, flag, idNumber, json, listOf, oneOf, text, whole } from '../field.ts';
import { AUDIO_BYTES_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from '../limits.ts';
import { MEDIA_KIND, MEDIA_KINDS, type MediaKind } from '../media/media.ts';

import { PLAN_OPTIONS, type PlanOption } from '../records/plan-option.ts';
import { C2PA_POLICY } from './words.ts';

export interface PlanField<Value> extends Field<Value> {
  /** The value in the first plan, in a new plan that does not set it, and in stored plans that are older than the row. */
  readonly initial: Value;
  /** Maximum of a whole number, which begins at 0. */
  readonly maximum?: number;
  /** The option of the command line. */
  readonly command?: {
    readonly flags: string;
    readonly sentence: string;
    /** For a flag: what `--no-…` says. */
    readonly offSentence?: string;
  };
}

type Row<Value> = Omit<PlanField<Value>, 'type' | 'holds'>;

function row<Value>(field: Field<Value>, said: Row<NoInfer<Value>>): PlanField<Value> {
  return { ...said, ...field };
}

const RATE_MAX = 1_000_000;
/** A hundred years: longer than any law asks. */
const DAYS_MAX = 36_500;

/** The first plan enables everything and charges nothing. Rows whose shape differs by protocol are computed there. */
export const PLAN = {
  id: row(idNumber(), { initial: 1 }),
  name: row(text(), { initial: 'Appliance' }),
  sku: row(text(), {
    initial: 'appliance',
    command: { flags: '--sku <sku>', sentence: 'its name in your own system' },
  }),
  kinds: row(listOf(oneOf(MEDIA_KIND, { isComputed: true })), {
    initial: [...MEDIA_KINDS],
    command: { flags: '--kinds <kinds>', sentence: `enabled kinds: ${MEDIA_KINDS.join(',')}` },
  }),
  options: row(listOf(text<PlanOption>()), {
    initial: [...PLAN_OPTIONS],
    command: { flags: '--options <options>', sentence: `enabled options: ${PLAN_OPTIONS.join(',')}` },
  }),
  /** Credits that one submission of the kind costs. */
  credits: row(json<Record<MediaKind, number>>({ isComputed: true }), {
    initial: { image: 0, video: 0, audio: 0 },
  }),
  /** Credits that a submission with the option costs on top. */
  optionCredits: row(json<Partial<Record<PlanOption, number>>>({ isComputed: true }), {
    initial: {},
    command: {
      flags: '--option-credits <prices>',
      sentence: 'what options cost on top: heatmap=1,nsfw=2',
    },
  }),
  /** Identifiers of model packs; `all` follows what is installed. */
  models: row(json<'all' | string[]>({ isComputed: true }), {
    initial: 'all',
    command: { flags: '--models <ids>', sentence: 'model packs that may be used, or all' },
  }),
  /** Counts submissions and reads. */
  rateLimitPerMinute: row(whole('Calls a minute; 0 means no limit.'), {
    initial: 0,
    maximum: RATE_MAX,
    command: { flags: '--rate-limit <n>', sentence: 'calls a minute; 0 for any number' },
  }),
  fileBytesMax: row(json<Record<MediaKind, number>>({ isComputed: true }), {
    initial: { image: IMAGE_BYTES_MAX, video: VIDEO_BYTES_MAX, audio: AUDIO_BYTES_MAX },
  }),
  c2paPolicy: row(oneOf(C2PA_POLICY), {
    initial: 'any',
    command: { flags: '--c2pa-policy <policy>', sentence: 'which signatures force artificial' },
  }),
  mediaDays: row(whole('Days until the bytes go; 0: with the record.'), {
    initial: 0,
    maximum: DAYS_MAX,
    command: { flags: '--media-days <n>', sentence: 'days until the bytes are deleted; 0: with the record' },
  }),
  recordDays: row(whole('Days until the record goes; 0: never.'), {
    initial: 0,
    maximum: DAYS_MAX,
    command: { flags: '--record-days <n>', sentence: 'days until the record is deleted; 0: never' },
  }),
  /** Deletes the media's bytes when the analysis has ended. */
  zeroRetention: row(flag('Keeps hash and result only.'), {
    initial: false,
    command: {
      flags: '--zero-retention',
      sentence: 'keep hash and result only',
      offSentence: 'keep the media as the days say',
    },
  }),
  /** For a partner: its users on such plans see each other's earlier copies of a picture. */
  seenBeforeAcrossUsers: row(
    flag('Earlier copies of a picture are shown across the users of a partner that have such a plan.'),
    {
      initial: false,
      command: {
        flags: '--seen-before-across-users',
        sentence: 'show earlier copies of a picture across a partner’s users',
        offSentence: 'show earlier copies within the account only',
      },
    },
  ),
  fourEyes: row(flag('Each finding by a person asks for another person’s sign-off by itself.'), {
    initial: false,
    command: {
      flags: '--four-eyes',
      sentence: 'each finding by a person asks for another person’s sign-off',
      offSentence: 'a finding asks for a sign-off only if somebody wants one',
    },
  }),
  fourEyesDays: row(
    whole(
      'Days for which access to an account (a key, a password link, another mailbox) counts: who had it cannot agree with its findings.',
    ),
    {
      initial: 90,
      maximum: DAYS_MAX,
      command: {
        flags: '--four-eyes-days <n>',
        sentence: 'days for which access to an account forbids signing off for it',
      },
    },
  ),
  videoHeightMin: row(whole({ description: 'Least height of a video, pixels; 0: none.' }), {
    initial: 0,
    maximum: 4320,
    command: { flags: '--video-height-min <n>', sentence: 'least height of a video in pixels; 0 for none' },
  }),
  /** Concerns accounts with zero retention alone; a worker keeps nothing of a job either way. */
  zeroRetentionOnWorkers: row(
    flag(
      'With zero retention, media may be analysed by workers on other boxes; without it they never leave this one.',
    ),
    {
      initial: false,
      command: {
        flags: '--zero-retention-on-workers',
        sentence: 'with zero retention, media may go to workers on other boxes',
        offSentence: 'with zero retention, media stay on this box',
      },
    },
  ),
};

/** Axes of one probability per picture, by scaled views. A row's name is also that of the models' task and of the step. */
import { flag, nullable, number, rowsOf } from '../field.ts';
import { probability } from './pack-parts.ts';

export const VIEW_AXES = {
  /** Whether it is safe to look at. */
  nsfw: {
    /** Name of its step time. */
    time: 'content',
    /** The page's words for the step, in English and Italian. */
    step: ['Checking for unsafe content', 'Ricerca di contenuti sensibili'],
    /** Null if it was not asked for. An axis that older results lack is optional. */
    stored: probability.nullable(),
    fields: {
      isNsfw: nullable(flag()),
      /** Not for REST. */
      nsfwProbability: nullable(
        number('Chance that it is unsafe to look at; null where it was not asked for.'),
      ),
    },
    show: (probability: number | null) => ({
      isNsfw: probability === null ? null : probability >= 0.5,
      nsfwProbability: probability,
    }),
  },
} as const;

type Rows = typeof VIEW_AXES;
export type ViewAxis = keyof Rows;
type Together<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Stored = { readonly [Name in ViewAxis]: Rows[Name]['stored'] };
export type ViewAnswers = { [Name in ViewAxis]: number | null };
/** What a result of any version has of them. */
type KnownAnswers = { readonly [Name in ViewAxis]?: number | null };
type Shown = Together<ReturnType<Rows[ViewAxis]['show']>>;

const AXES = rowsOf(VIEW_AXES);
export const VIEW_AXIS_NAMES = AXES.map(([name]) => name);

function each<Part>(partOf: (name: ViewAxis, row: Rows[ViewAxis]) => unknown): Part {
  return Object.fromEntries(AXES.map(([name, row]) => [name, partOf(name, row)])) as Part;
}

export const STORED_VIEW_ANSWERS = each<Stored>((_, { stored }) => stored);
export const NO_VIEW_ANSWERS = each<ViewAnswers>(() => null);
/** The fields of a record of a picture or a video. */
export const VIEW_FIELDS = Object.assign({}, ...AXES.map(([, { fields }]) => fields)) as Together<
  Rows[ViewAxis]['fields']
>;

/** Earlier answers stay. */
export function addViewAnswers(known: KnownAnswers, added: KnownAnswers): ViewAnswers {
  return each((name) => known[name] ?? added[name] ?? null);
}

/** A video answers by the frame with the highest probability. */
export function poolViewAnswers(frames: readonly KnownAnswers[]): ViewAnswers {
  return each((name) => {
    const known = frames.flatMap((frame) => frame[name] ?? []);
    return known.length === 0 ? null : Math.max(...known);
  });
}

export function showViewAnswers(answers: KnownAnswers): Shown {
  return Object.assign({}, ...AXES.map(([name, { show }]) => show(answers[name] ?? null))) as Shown;
}

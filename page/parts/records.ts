/** What the page reads from records in several places. */
import type { FullRecord, Label, ListedRecord, ModelResult, Verdict } from '../gen/documents.ts';
import type { RefusedRow } from './api.ts';

export type ImageRecord = Extract<FullRecord, { __typename: 'ImageClassification' }>;
export type AudioRecord = Extract<FullRecord, { __typename: 'AudioClassification' }>;
export type VideoRecord = Extract<FullRecord, { __typename: 'VideoClassification' }>;

/** A row of the list: a record, or what is said instead of one that cannot be shown. */
export type ListRow = ListedRecord | RefusedRow;

export function isRefused(row: ListRow): row is RefusedRow {
  return 'refusal' in row;
}

/** What a record comes to for a reader, as the daemon says it. */
export type Outcome = Lowercase<ListedRecord['outcome']>;

export function outcomeOf({ outcome }: Pick<ListedRecord, 'outcome'>): Outcome {
  return outcome.toLowerCase() as Outcome;
}

/** The look of a headline, by its basis and its outcome. */
export function headlineClass({
  headline,
  outcome,
}: Pick<ListedRecord, 'outcome'> & { headline: { word: string } }): string {
  return `${outcome.toLowerCase()} ${headline.word.toLowerCase().replaceAll('_', '-')}`;
}

/** Probability of an artificial origin by one model; null if it gave no answer. */
export function artificialScore({
  classification,
}: {
  classification: { label: Label; score: number }[];
}): number | null {
  return classification.find(({ label }) => label === 'ARTIFICIAL')?.score ?? null;
}

export function verdictScore(verdict: Verdict | null): number | null {
  if (verdict === null) return null;
  return verdict.classification === 'ARTIFICIAL' ? verdict.confidence : 1 - verdict.confidence;
}

/** A video's models are those of its frames and tracks: each once, with its mean. */
export function modelResultsOf(record: FullRecord): ModelResult[] {
  if (record.__typename !== 'VideoClassification') return record.results;
  const all = [...record.images, ...record.audios].flatMap(({ results }) => results);
  return [...Map.groupBy(all, ({ model }) => model).values()].flatMap((runs) => {
    const scores = runs.flatMap((run) => artificialScore(run) ?? []);
    const [first] = runs;
    if (first === undefined) return [];
    if (scores.length === 0) return [first];
    const score = scores.reduce((sum, one) => sum + one, 0) / scores.length;
    return [{ ...first, unknown: false, classification: [{ label: 'ARTIFICIAL' as const, score }] }];
  });
}

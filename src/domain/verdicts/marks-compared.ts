/** Compares the marks of a copy with those of its original: what an export kept, lost, broke or added. Pure. */
import { type Choice, oneOf, text, type ValuesOf } from '../field.ts';
import { MARK_KIND, type Mark } from './marks.ts';

export const MARK_CHANGES = ['kept', 'changed', 'lost', 'broken', 'added', 'unknown'] as const;
export const MARK_FATE = {
  name: 'MarkFate',
  description: 'CHANGED: there, with another content. UNKNOWN: it cannot be looked for in the copy.',
  words: MARK_CHANGES,
} as const satisfies Choice;

export const MARK_CHANGE = {
  kind: oneOf(MARK_KIND),
  change: oneOf(MARK_FATE),
  before: text('What each holds; empty where it holds none.'),
  after: text(),
};
export interface MarkChange extends ValuesOf<typeof MARK_CHANGE> {}

/** One row for each mark of either file. */
export function compareMarks(before: readonly Mark[], after: readonly Mark[]): MarkChange[] {
  const found = before.filter(({ state }) => state === 'found');
  const others = new Set(after.filter(({ state }) => state === 'found'));
  const changes = found.map((mark): MarkChange => {
    const same = [...others].find(({ kind, value }) => kind === mark.kind && value === mark.value);
    const twin = same ?? [...others].find(({ kind, field }) => kind === mark.kind && field === mark.field);
    if (twin !== undefined) others.delete(twin);
    const change = twin === undefined ? fateOf(mark, after) : twin === same ? 'kept' : 'changed';
    return { kind: mark.kind, change, before: mark.value, after: twin?.value ?? '' };
  });
  const added = [...others].map(
    ({ kind, value }): MarkChange => ({ kind, change: 'added', before: '', after: value }),
  );
  return [...changes, ...added];
}

function fateOf({ kind }: Mark, after: readonly Mark[]): MarkChange['change'] {
  const states = after.filter((mark) => mark.kind === kind).map(({ state }) => state);
  if (states.includes('broken')) return 'broken';
  return states.includes('not_checkable') ? 'unknown' : 'lost';
}

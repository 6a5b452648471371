/** Whether a copy still holds the marks of its original: what an export kept, lost, broke or added. Pure. */
import type { Mark, MarkKind } from './marks.ts';

export const MARK_CHANGES = ['kept', 'changed', 'lost', 'broken', 'added', 'unknown'] as const;

export interface MarkChange {
  kind: MarkKind;
  /** `changed`: there, with another content; `unknown`: it cannot be looked for in the copy. */
  change: (typeof MARK_CHANGES)[number];
  /** What each holds; empty if it holds none. */
  before: string;
  after: string;
}

/** One row for each mark that was found in either. */
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

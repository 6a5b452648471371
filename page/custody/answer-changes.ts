/** Answers about a manifest that read otherwise under other trust lists, in words. */
import { findText, t } from '../texts/language.ts';

export interface AnswerChange {
  answer: string;
  before: string;
  after: string;
}

export function describeChange({ answer, before, after }: AnswerChange): string {
  const name = answer.toLowerCase();
  const shown = findText(`answer_${name}`) ?? name;
  return t('recheckChange', { answer: shown, before: inWords(before), after: inWords(after) });
}

/** Translates each of several words; the name of a list stays. */
function inWords(words: string): string {
  return words
    .split(', ')
    .map((word) => findText(`word_${word}`) ?? word)
    .join(', ');
}

/** Reads the changes from JSON whose shape only the log knows. */
export function changesIn(what: unknown): AnswerChange[] {
  const { changes } = (what ?? {}) as { changes?: unknown };
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

function isChange(value: unknown): value is AnswerChange {
  const { answer, before, after } = (value ?? {}) as Record<string, unknown>;
  return [answer, before, after].every((part) => typeof part === 'string');
}

/** Compares the four answers about a signed manifest of a copy with those of its original. Pure. */
import { type Choice, oneOf, text, type ValuesOf } from '../field.ts';
import type { SignerAnswer, TimeAnswer, UnchangedAnswer, WhoAnswer } from '../provenance/readings.ts';
import { MARK_FATE } from './marks-compared.ts';

export const COMPARED_ANSWERS = ['unchanged', 'signed_by', 'in_time', 'who'] as const;
export const COMPARED_ANSWER = {
  name: 'ComparedAnswer',
  words: COMPARED_ANSWERS,
} as const satisfies Choice;
export type ComparedAnswer = (typeof COMPARED_ANSWERS)[number];

export const ANSWER_FATE = {
  answer: oneOf(COMPARED_ANSWER),
  change: oneOf(MARK_FATE),
  before: text('What each says; empty where it says nothing.'),
  after: text(),
};
export interface AnswerFate extends ValuesOf<typeof ANSWER_FATE> {}

export interface ComparedReadings {
  unchanged: UnchangedAnswer;
  signedBy: { answer: SignerAnswer; name: string };
  inTime: { answer: TimeAnswer; authority: string };
  who: { answer: WhoAnswer; names: readonly string[] };
}

export interface ComparedFile {
  /** Null if no manifest could be read. */
  readings: ComparedReadings | null;
  /** Whether there may be a manifest all the same: damaged, elsewhere, or in an unread format. */
  mayHoldOne: boolean;
}

/** Answers that speak against a file. */
const BAD: readonly (UnchangedAnswer | SignerAnswer | TimeAnswer | WhoAnswer)[] = [
  ...(['changed', 'nothing_bound', 'revoked', 'wrong_use', 'signature_fails', 'outside', 'failed'] as const),
];

interface Said {
  word: string;
  /** The answer with the names in it; may be empty. */
  text: string;
}

/** One row for each answer that either file gives. */
export function compareAnswers(before: ComparedFile, after: ComparedFile): AnswerFate[] {
  return COMPARED_ANSWERS.flatMap((answer) => {
    const [was, is] = [sayingOf(before, answer), sayingOf(after, answer)];
    if (was.text === '' && is.text === '') return [];
    return { answer, change: fateOf(was, is, after), before: was.text, after: is.text };
  });
}

function fateOf(was: Said, is: Said, after: ComparedFile): AnswerFate['change'] {
  if (is.text === '') return after.readings === null && after.mayHoldOne ? 'unknown' : 'lost';
  const isBad = BAD.some((word) => word === is.word);
  if (isBad && is.word !== was.word) return 'broken';
  if (was.text === '') return 'added';
  return was.text === is.text ? 'kept' : 'changed';
}

function sayingOf({ readings }: ComparedFile, answer: ComparedAnswer): Said {
  if (readings === null) return { word: '', text: '' };
  const { unchanged, signedBy, inTime, who } = readings;
  switch (answer) {
    case 'unchanged':
      return toSaid(unchanged, '');
    case 'signed_by':
      return toSaid(signedBy.answer, signedBy.name);
    case 'in_time':
      return toSaid(inTime.answer, inTime.authority);
    case 'who':
      return who.answer === 'nobody' ? { word: '', text: '' } : toSaid(who.answer, who.names.join(', '));
  }
}

function toSaid(word: string, named: string): Said {
  return { word, text: named === '' ? word : `${word}, ${named}` };
}

/** What is said of marks and labels beside a record, one row a field. Their types stand beside the rules that make them. */

import { type Choice, type FieldsOf, listOf, type Noun, noun, oneOf, text } from '../field.ts';
import { type AnswerFate, COMPARED_ANSWERS } from '../verdicts/answers-compared.ts';
import {
  AI_PARTS,
  LABEL_DUTIES,
  LABELLED_KINDS,
  type LabelAdvice,
  type LabelSource,
  SOURCE_RANKS,
} from '../verdicts/article-50.ts';
import { MARK_CHANGES, type MarkChange } from '../verdicts/marks-compared.ts';
import { MARK_KIND } from './words.ts';

export const MARK_FATE = {
  name: 'MarkFate',
  description: 'CHANGED: there, with another content. UNKNOWN: it cannot be looked for in the copy.',
  words: MARK_CHANGES,
} as const satisfies Choice;
export const COMPARED_ANSWER = {
  name: 'ComparedAnswer',
  words: COMPARED_ANSWERS,
} as const satisfies Choice;
export const LABELLED_KIND = { name: 'LabelledKind', words: LABELLED_KINDS } as const satisfies Choice;
export const AI_PART = {
  name: 'AiPart',
  description: 'Made by a machine as a whole, or changed by one.',
  words: AI_PARTS,
} as const satisfies Choice;
export const LABEL_DUTY = {
  name: 'LabelDuty',
  description: 'DISCLOSE_LIGHTLY: in a way that does not hamper the work.',
  words: LABEL_DUTIES,
} as const satisfies Choice;
export const SOURCE_RANK = {
  name: 'SourceRank',
  description:
    'PRIMARY: the binding text, or the vocabulary itself. SECONDARY: what somebody writes about it.',
  words: SOURCE_RANKS,
} as const satisfies Choice;

const MARK_CHANGE = {
  kind: oneOf(MARK_KIND),
  change: oneOf(MARK_FATE),
  before: text({ description: 'What each holds; empty where it holds none.' }),
  after: text(),
} satisfies FieldsOf<MarkChange>;

const ANSWER_FATE = {
  answer: oneOf(COMPARED_ANSWER),
  change: oneOf(MARK_FATE),
  before: text({ description: 'What each says; empty where it says nothing.' }),
  after: text(),
} satisfies FieldsOf<AnswerFate>;

const LABEL_SOURCE = {
  title: text(),
  rank: oneOf(SOURCE_RANK),
  supports: text({ description: 'What it is the source of.' }),
} satisfies FieldsOf<LabelSource>;

const LABEL_ADVICE = {
  duty: oneOf(LABEL_DUTY),
  reason: text(),
  wording: text({ description: 'Empty where there is no duty.' }),
  place: text(),
  sourceType: text({ description: 'IPTC digitalSourceType for the file; empty for text.' }),
  sources: listOf(noun<LabelSource>('LabelSource')),
} satisfies FieldsOf<LabelAdvice>;

export const MARK_PARTS: readonly Noun[] = [
  {
    name: 'MarkChange',
    description: 'What became of a mark of one file in another.',
    fields: MARK_CHANGE,
  },
  {
    name: 'AnswerFate',
    description:
      'What became of an answer about a signed manifest. BROKEN: the copy gives it, and it speaks against the copy.',
    fields: ANSWER_FATE,
  },
  { name: 'LabelSource', fields: LABEL_SOURCE },
  {
    name: 'LabelAdvice',
    description:
      'What article 50 of the AI Act asks of the publisher of a piece: a help to think, no legal advice.',
    fields: LABEL_ADVICE,
  },
];

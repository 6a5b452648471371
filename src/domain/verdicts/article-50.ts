/** The label helper for article 50 of the AI Act: no legal advice; what others say of the Code of Practice is marked. */
import { badField } from '../errors.ts';
import { type Choice, listOf, noun, oneOf, text, type ValuesOf } from '../field.ts';

export const LABELLED_KINDS = ['image', 'video', 'audio', 'text'] as const;
export const LABELLED_KIND = { name: 'LabelledKind', words: LABELLED_KINDS } as const satisfies Choice;
export type LabelledKind = (typeof LABELLED_KINDS)[number];

export const AI_PARTS = ['generated', 'modified'] as const;
export const AI_PART = {
  name: 'AiPart',
  description: 'Made by a machine as a whole, or changed by one.',
  words: AI_PARTS,
} as const satisfies Choice;
export type AiPart = (typeof AI_PARTS)[number];

export const LABEL_DUTIES = ['disclose', 'disclose_lightly', 'none'] as const;
export const LABEL_DUTY = {
  name: 'LabelDuty',
  description: 'DISCLOSE_LIGHTLY: in a way that does not hamper the work.',
  words: LABEL_DUTIES,
} as const satisfies Choice;

export const SOURCE_RANKS = ['primary', 'secondary'] as const;
export const SOURCE_RANK = {
  name: 'SourceRank',
  description:
    'PRIMARY: the binding text, or the vocabulary itself. SECONDARY: what somebody writes about it.',
  words: SOURCE_RANKS,
} as const satisfies Choice;

export interface LabelQuestion {
  kind: LabelledKind;
  /** Whether AI made the piece as a whole, or changed it. */
  part: AiPart;
  /** Would somebody take it for real persons, objects, places or events? */
  resemblesReality: boolean;
  /** Is it evidently art, satire, fiction or the like? */
  isArtistic: boolean;
  /** Text only: did a person review it, and does somebody answer for it? */
  hasEditorialControl: boolean;
}

export const LABEL_SOURCE = {
  title: text(),
  rank: oneOf(SOURCE_RANK),
  supports: text('What it is the source of.'),
};
export interface LabelSource extends ValuesOf<typeof LABEL_SOURCE> {}

export const LABEL_ADVICE = {
  duty: oneOf(LABEL_DUTY),
  reason: text(),
  wording: text('Empty where there is no duty.'),
  place: text(),
  sourceType: text('IPTC digitalSourceType for the file; empty for text.'),
  sources: listOf(noun<LabelSource>('LabelSource')),
};
export interface LabelAdvice extends ValuesOf<typeof LABEL_ADVICE> {}

const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

const SOURCE_TYPES: Readonly<Record<AiPart, string>> = {
  generated: `${IPTC}trainedAlgorithmicMedia`,
  modified: `${IPTC}compositeWithTrainedAlgorithmicMedia`,
};

const WORDINGS: Readonly<Record<AiPart, string>> = { generated: 'AI GENERATED', modified: 'AI MODIFIED' };

const PLACES: Readonly<Record<LabelledKind, string>> = {
  image: 'On the picture or right beside it, seen together with it at first sight.',
  video: 'On the picture at the start, and again after each break.',
  audio: 'Spoken at the start.',
  text: 'At the head of the text, before it is read.',
};

const LIGHT_PLACES: Readonly<Record<LabelledKind, string>> = {
  image: 'In the caption or the credits, so that the work is not disturbed.',
  video: 'In the opening or the credits, so that the work is not disturbed.',
  audio: 'In the announcement or the description, so that the work is not disturbed.',
  text: 'In the imprint or a note, so that the work is not disturbed.',
};

const REGULATION: LabelSource = {
  title: 'Regulation (EU) 2024/1689 (AI Act), articles 3(60) and 50(4), (5)',
  rank: 'primary',
  supports:
    'who must disclose what, the exceptions, and that it is clear at the first exposure at the latest',
};
const CODE_OF_PRACTICE: LabelSource = {
  title:
    'Code of Practice on marking and labelling of 10 June 2026, as reported; the paper was not read for this',
  rank: 'secondary',
  supports: 'the words of the label, that a capital AI leads in it, and where it stands',
};
const IPTC_TERMS: LabelSource = {
  title: 'IPTC NewsCodes, Digital Source Type',
  rank: 'primary',
  supports: 'the term for the file',
};

export function adviseLabel(question: LabelQuestion): LabelAdvice {
  const { kind, part } = question;
  const { duty, reason } = dutyOf(question);
  const sourceType = kind === 'text' ? '' : SOURCE_TYPES[part];
  const ofFile = kind === 'text' ? [] : [IPTC_TERMS];
  if (duty === 'none') {
    return { duty, reason, wording: '', place: '', sourceType, sources: [REGULATION, ...ofFile] };
  }
  const place = duty === 'disclose' ? PLACES[kind] : LIGHT_PLACES[kind];
  const sources = [REGULATION, CODE_OF_PRACTICE, ...ofFile];
  return { duty, reason, wording: WORDINGS[part], place, sourceType, sources };
}

function dutyOf(question: LabelQuestion): Pick<LabelAdvice, 'duty' | 'reason'> {
  const { kind, resemblesReality, isArtistic, hasEditorialControl } = question;
  if (kind === 'text') {
    return hasEditorialControl
      ? {
          duty: 'none',
          reason:
            'The text was reviewed by a person and somebody answers for it: there is no duty to disclose.',
        }
      : {
          duty: 'disclose',
          reason:
            'The text informs the public on matters of public interest and nobody reviewed it: its making must be disclosed.',
        };
  }
  if (!resemblesReality) {
    return {
      duty: 'none',
      reason: 'Nobody would take it for real, so it is no deep fake: there is no duty to label it.',
    };
  }
  return isArtistic
    ? {
        duty: 'disclose_lightly',
        reason:
          'It resembles reality, but is evidently artistic: that AI had a part in it must be said in a way that does not hamper the work.',
      }
    : {
        duty: 'disclose',
        reason:
          'It resembles reality and could be taken for real: its making must be disclosed. Editorial control is no exception for pictures, films and sound.',
      };
}

/** Fills in unasked answers; throws if an answer that matters is missing. */
export function completeQuestion(
  kind: LabelledKind,
  part: AiPart | undefined,
  answers: {
    resemblesReality?: boolean | undefined;
    isArtistic?: boolean | undefined;
    hasEditorialControl?: boolean | undefined;
  },
): LabelQuestion {
  const { resemblesReality, isArtistic, hasEditorialControl } = answers;
  const missing =
    kind === 'text'
      ? hasEditorialControl === undefined && 'has_editorial_control'
      : resemblesReality === undefined
        ? 'resembles_reality'
        : resemblesReality && isArtistic === undefined && 'is_artistic';
  if (missing !== false) {
    throw badField(missing, `expected yes or no where the kind is ${kind}, found no answer`);
  }
  return {
    kind,
    part: part ?? 'generated',
    resemblesReality: resemblesReality ?? false,
    isArtistic: isArtistic ?? false,
    hasEditorialControl: hasEditorialControl ?? false,
  };
}

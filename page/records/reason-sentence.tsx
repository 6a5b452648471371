/** A reason in the reader's language. */
import type { JSX } from 'preact';
import { fillReason } from '../../src/domain/records/finding-words.ts';
import { formatPercent } from '../parts/format.ts';
import { findText } from '../texts/language.ts';

interface ReasonProps {
  code: string;
  /** The daemon's own, in English. */
  sentence: string;
  probability: number | null;
}

/** If the daemon's sentence holds no more than figures, the reader's language says it; else it stays English. */
export function ReasonSentence({ code, sentence, probability }: ReasonProps): JSX.Element {
  const text = findText(`reason_${code}`);
  if (text === undefined) return <span lang="en">{sentence}</span>;
  const share = probability === null ? '' : formatPercent(probability);
  return <span>{fillReason(text, sentence, share)}</span>;
}

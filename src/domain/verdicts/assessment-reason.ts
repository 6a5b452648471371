/** One thing that speaks for or against an answer, as a code for programs and a sentence for people. */
import { text, type ValuesOf } from '../field.ts';

export const REASON = { code: text(), sentence: text() };
export interface AssessmentReason extends ValuesOf<typeof REASON> {}

/** One thing that speaks for or against an answer, as a code for programs and a sentence for people. */
export interface AssessmentReason {
  code: string;
  sentence: string;
}

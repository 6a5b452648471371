/** What an assessment says of edits: an axis of its own, which takes no part in the verdict on the origin. Pure. */
import type { AssessmentReason } from './assessment-reason.ts';
import type { ModelRun, TamperingSummary } from './result.ts';

/** Less than this of a picture was left out where all of it fits but a few border pixels. */
const WHOLE_COVERAGE = 0.97;

/** `what` in sentences: `picture` or `video`. */
export function notesOnTampering(
  what: string,
  runs: readonly ModelRun[],
  summary?: TamperingSummary,
): AssessmentReason[] {
  return runs.filter(({ axis }) => axis === 'edited').map((run) => noteOn(what, run, summary));
}

function noteOn(what: string, run: ModelRun, summary: TamperingSummary | undefined): AssessmentReason {
  const { unknown, reason, probability, inconclusiveLow, inconclusiveHigh } = run;
  if (unknown || probability === null) {
    return { code: 'EDITING_NOT_JUDGED', sentence: `Signs of editing were not looked for: ${reason}` };
  }
  const shown = `${(probability * 100).toFixed(0)} % at even prior odds; it does not change the verdict on the origin`;
  const looked = coverageOf(summary);
  if (probability > inconclusiveHigh) {
    return { code: 'EDITING_LIKELY', sentence: `The ${what} shows signs of editing (${shown}).${looked}` };
  }
  if (probability < inconclusiveLow) {
    return { code: 'NO_SIGNS_OF_EDITING', sentence: `No signs of editing were found (${shown}).${looked}` };
  }
  const sentence = `Whether the ${what} was edited cannot be told (${shown}).${looked}`;
  return { code: 'EDITING_INCONCLUSIVE', sentence };
}

function coverageOf(summary: TamperingSummary | undefined): string {
  if (summary === undefined || summary.coverage >= WHOLE_COVERAGE) return '';
  return ` Only ${(summary.coverage * 100).toFixed(0)} % of it was looked at: it is larger than the model may take.`;
}

/** What an assessment says of faces: a swap where the model's precision holds, else that no face was judged. Pure. */
import type { AssessmentReason } from './assessment-reason.ts';
import { showsSwap } from './heuristics.ts';
import type { ModelRun } from './result.ts';

/** `what` in sentences: `picture` or `video`. */
export function notesOnFaces(what: string, runs: readonly ModelRun[]): AssessmentReason[] {
  return runs.filter(({ axis }) => axis === 'swapped').map((run) => noteOn(what, run));
}

function noteOn(what: string, run: ModelRun): AssessmentReason {
  const { unknown, reason, probability, inconclusiveHigh } = run;
  if (unknown || probability === null) {
    return { code: 'FACES_NOT_JUDGED', sentence: `Faces were not judged: ${reason}` };
  }
  const shown = `${(probability * 100).toFixed(0)} % at even prior odds`;
  if (showsSwap(run)) {
    return { code: 'FACE_SWAP_LIKELY', sentence: `A face of the ${what} shows signs of a swap (${shown}).` };
  }
  const bound = (inconclusiveHigh * 100).toFixed(0);
  const sentence = `Faces were not judged: the most suspicious one (${shown}) lies below ${bound} %, where the model errs too often; that speaks neither for a swap nor against one.`;
  return { code: 'FACES_NOT_JUDGED', sentence };
}

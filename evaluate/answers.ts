/** Reads from a record the answer to the question that is evaluated. */
import { AssessmentState } from '../src/grpc/gen/assay/v1/assessment_pb.ts';
import { Axis, type Classification, type ModelResult } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../src/grpc/gen/assay/v1/media_pb.ts';
import type { Measurement } from './measurement.ts';
import type { Task } from './task.ts';

export type Answer = Pick<Measurement, 'probability' | 'state' | 'called' | 'models' | 'faces'>;

const STATES: Readonly<Record<number, Answer['state']>> = {
  [AssessmentState.HUMAN]: 'human',
  [AssessmentState.ARTIFICIAL]: 'artificial',
  [AssessmentState.INCONCLUSIVE]: 'inconclusive',
};

const ANSWER_OF: Readonly<Record<Task, (record: Classification) => Answer>> = {
  origin: ofOrigin,
  faces: ofFaces,
  tampering: ofTampering,
};

export function answerOf(task: Task, record: Classification): Answer {
  return ANSWER_OF[task](record);
}

function ofOrigin(record: Classification): Answer {
  const { assessment, verdicts, results } = record;
  const called = verdicts.filter(({ classification }) => classification === Label.ARTIFICIAL);
  return {
    probability: assessment?.probability ?? null,
    state: STATES[assessment?.state ?? AssessmentState.UNSPECIFIED] ?? 'not_applicable',
    called: called.map(({ heuristic }) => heuristic),
    models: scoresOf(results),
  };
}

/** The most suspicious face decides: one swapped face makes a picture a fake. The record gives no band for a face. */
function ofFaces({ media }: Classification): Answer {
  const details = media.case === 'image' ? media.value.details : [];
  const found = details.flatMap(({ detections }) => detections);
  const answers = found.flatMap(({ results }) => toAnswer(results, null) ?? []);
  const [most] = answers.toSorted((a, b) => (b.probability ?? 0) - (a.probability ?? 0));
  return { ...(most ?? toSilence(null)), faces: found.length };
}

/** The state of edits, by the codes of an assessment's reasons. */
const EDIT_STATES: Readonly<Record<string, Answer['state']>> = {
  EDITING_LIKELY: 'artificial',
  NO_SIGNS_OF_EDITING: 'human',
  EDITING_INCONCLUSIVE: 'inconclusive',
};

function ofTampering({ results, assessment }: Classification): Answer {
  const said = (assessment?.reasons ?? []).flatMap(({ code }) => EDIT_STATES[code] ?? []);
  const [state = null, ...others] = new Set(said);
  const edits = results.filter(({ axis }) => axis === Axis.EDITED);
  return toAnswer(edits, others.length > 0 ? 'inconclusive' : state) ?? toSilence('not_applicable');
}

function toSilence(state: Answer['state']): Answer {
  return { probability: null, state, called: null, models: {} };
}

/** The mean of the models' log-odds; the heuristics have no verdict on it. Null if no model answered. */
function toAnswer(results: readonly ModelResult[], state: Answer['state']): Answer | null {
  const models = scoresOf(results);
  const logOdds = Object.values(models).map((score) => Math.log(score / (1 - score)));
  if (logOdds.length === 0) return null;
  const mean = logOdds.reduce((sum, value) => sum + value, 0) / logOdds.length;
  return { probability: 1 / (1 + Math.exp(-mean)), state, called: null, models };
}

function scoresOf(results: readonly ModelResult[]): Record<string, number> {
  const scores = results.flatMap(({ model, version, classification }) => {
    const score = classification.find(({ label }) => label === Label.ARTIFICIAL)?.score;
    return score === undefined ? [] : [[`${model}@${version}`, score] as const];
  });
  return Object.fromEntries(scores);
}

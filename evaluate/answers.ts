/** What a record says of the question that is evaluated. */
import { AssessmentState } from '../src/grpc/gen/assay/v1/assessment_pb.ts';
import { Axis, type Classification, type ModelResult } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../src/grpc/gen/assay/v1/media_pb.ts';
import type { Measurement } from './measurement.ts';

export const TASKS = ['origin', 'faces', 'tampering'] as const;
export type Task = (typeof TASKS)[number];

export type Answer = Pick<Measurement, 'probability' | 'state' | 'called' | 'models'>;

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

/** The most suspicious face decides: one swapped face makes a picture a fake. */
function ofFaces({ media }: Classification): Answer {
  const details = media.case === 'image' ? media.value.details : [];
  const faces = details.flatMap(({ detections }) => detections);
  const answers = faces.flatMap(({ results }) => ofResults(results));
  return answers.toSorted((a, b) => (b.probability ?? 0) - (a.probability ?? 0))[0] ?? NONE;
}

function ofTampering({ results }: Classification): Answer {
  return ofResults(results.filter(({ axis }) => axis === Axis.EDITED))[0] ?? NONE;
}

const NONE: Answer = { probability: null, state: 'not_applicable', called: [], models: {} };

/** The mean of the models' log-odds; neither a band nor a cautious verdict exists for it. */
function ofResults(results: readonly ModelResult[]): Answer[] {
  const models = scoresOf(results);
  const logOdds = Object.values(models).map((score) => Math.log(score / (1 - score)));
  if (logOdds.length === 0) return [];
  const mean = logOdds.reduce((sum, value) => sum + value, 0) / logOdds.length;
  const probability = 1 / (1 + Math.exp(-mean));
  return [{ probability, state: probability >= 0.5 ? 'artificial' : 'human', called: [], models }];
}

function scoresOf(results: readonly ModelResult[]): Record<string, number> {
  const scores = results.flatMap(({ model, version, classification }) => {
    const score = classification.find(({ label }) => label === Label.ARTIFICIAL)?.score;
    return score === undefined ? [] : [[`${model}@${version}`, score] as const];
  });
  return Object.fromEntries(scores);
}

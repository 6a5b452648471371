/** What a filter by status, verdict or outcome needs of a record, as a number that an index holds for every profile. */
import { LABELS, type Label, MEDIA_KINDS } from '../media/media.ts';
import { C2PA_POLICIES, type C2paPolicy, forcesArtificial } from '../provenance/provenance.ts';
import { ASSESSMENT_STATES, type AssessmentState, assess } from '../verdicts/assessment.ts';
import { HEURISTIC_NAMES, type HeuristicName, judge } from '../verdicts/heuristics.ts';
import type { AnalysisResult } from '../verdicts/result.ts';
import { RULES_VERSION } from '../verdicts/rules-version.ts';
import { type Analysis, type Classification, type Override, statusOf } from './classification.ts';
import type { Decided } from './outcome.ts';

/** `unmeasured`: done without findings of its kind. `unreadable`: every filter must show it. */
const ANSWER_STATES = ['new', 'errored', 'done', 'unmeasured', 'unreadable'] as const;
type AnswerState = (typeof ANSWER_STATES)[number];

export interface AnswerClass {
  kind: Classification['kind'];
  state: AnswerState;
  /** A person's finding on the file. */
  finding: Label | null;
  /** Null unless the record is done. */
  assessment: AssessmentState | null;
  /** Policies under which its signature forces the verdict. */
  forcing: readonly C2paPolicy[];
  /** Heuristics that call it artificial if nothing forces it. */
  artificialBy: readonly HeuristicName[];
}

export interface Profile {
  heuristic: HeuristicName;
  policy: C2paPolicy;
}

export const PROFILES: readonly Profile[] = HEURISTIC_NAMES.flatMap((heuristic) =>
  C2PA_POLICIES.map((policy) => ({ heuristic, policy })),
);

/** Raised when the numbers below change their meaning. */
const LAYOUT = 1;

/** Classes of another version are not read, but made anew. */
export const ANSWER_CLASS_VERSION = [
  ...[LAYOUT, RULES_VERSION, ...HEURISTIC_NAMES, ...C2PA_POLICIES, ...ASSESSMENT_STATES, ...LABELS],
].join('/');

/** A figure of this size is no measurement: what follows from it may overflow, and the record is then refused on reading. */
const FIGURE_MAX = 1e100;

export interface AnswerSource {
  classification: Pick<Classification, 'kind' | 'cancelled' | 'options'>;
  /** Undefined if it is missing or damaged. */
  analysis: Pick<Analysis, 'state' | 'result'> | undefined;
  /** `damaged` for an unreadable one. */
  finding: Pick<Override, 'classification'> | undefined | 'damaged';
}

export function answerClassOf({ classification, analysis, finding }: AnswerSource): AnswerClass {
  const { kind } = classification;
  if (analysis === undefined || finding === 'damaged') return unanswered(kind, 'unreadable', null);
  const said = finding?.classification ?? null;
  const status = statusOf(classification, analysis);
  if (status !== 'done') return unanswered(kind, status, said);
  const { result } = analysis;
  if (result?.kind !== kind) return unanswered(kind, 'unmeasured', said);
  if (hasExtremeFigure(result)) return unanswered(kind, 'unreadable', said);
  return measured(result, said, classification.options.preventC2paForces);
}

function unanswered(kind: AnswerClass['kind'], state: AnswerState, finding: Label | null): AnswerClass {
  return { kind, state, finding, assessment: null, forcing: [], artificialBy: [] };
}

function measured(result: AnalysisResult, finding: Label | null, prevented: boolean): AnswerClass {
  try {
    const verdicts = judge(result.runs, false);
    const artificial = verdicts.filter(({ classification }) => classification === 'artificial');
    return {
      kind: result.kind,
      state: 'done',
      finding,
      assessment: assess(result).state,
      forcing: C2PA_POLICIES.filter((policy) => forcesArtificial(result.provenance, policy, prevented)),
      artificialBy: artificial.map(({ heuristic }) => heuristic),
    };
  } catch {
    // The rules cannot read a result of this older version: every filter shows it, as such.
    return unanswered(result.kind, 'unreadable', finding);
  }
}

function hasExtremeFigure(value: unknown): boolean {
  if (typeof value === 'number') return !(Math.abs(value) <= FIGURE_MAX);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  for (const name in value) if (hasExtremeFigure((value as Record<string, unknown>)[name])) return true;
  return false;
}

/** The values that filters compare: the outcome's parts, and the class of the documented verdict. */
export interface Answered extends Decided {
  verdict: { classification: Label } | null;
}

/** The outcome for a reader with the profile; null if only the record has it. */
export function decidedBy(
  { state, finding, assessment, forcing, artificialBy }: AnswerClass,
  { heuristic, policy }: Profile,
): Answered | null {
  if (state === 'unreadable') return null;
  const status = state === 'unmeasured' ? 'done' : state;
  if (assessment === null) return { status, forceClassification: finding, verdict: null, assessment: null };
  const isArtificial = forcing.includes(policy) || artificialBy.includes(heuristic);
  const verdict = { classification: isArtificial ? ('artificial' as const) : ('human' as const) };
  return { status, forceClassification: finding, verdict, assessment: { state: assessment } };
}

/** From the lowest digit up: kind, state, finding, assessment, one bit for each policy, one for each heuristic. */
export function toNumber({ kind, state, finding, assessment, forcing, artificialBy }: AnswerClass): number {
  const digits = [
    [MEDIA_KINDS.indexOf(kind), MEDIA_KINDS.length],
    [ANSWER_STATES.indexOf(state), ANSWER_STATES.length],
    [finding === null ? 0 : 1 + LABELS.indexOf(finding), 1 + LABELS.length],
    [assessment === null ? 0 : 1 + ASSESSMENT_STATES.indexOf(assessment), 1 + ASSESSMENT_STATES.length],
    ...C2PA_POLICIES.map((policy) => [Number(forcing.includes(policy)), 2] as const),
    ...HEURISTIC_NAMES.map((heuristic) => [Number(artificialBy.includes(heuristic)), 2] as const),
  ] as const;
  return digits.reduceRight((sum, [digit = 0, base = 1]) => sum * base + digit, 0);
}

/** Undefined for a number of another version. */
export function fromNumber(number: number): AnswerClass | undefined {
  let rest = number;
  const digit = (base: number): number => {
    const found = rest % base;
    rest = Math.floor(rest / base);
    return found;
  };
  const kind = MEDIA_KINDS[digit(MEDIA_KINDS.length)];
  const state = ANSWER_STATES[digit(ANSWER_STATES.length)];
  const finding = LABELS[digit(1 + LABELS.length) - 1] ?? null;
  const assessment = ASSESSMENT_STATES[digit(1 + ASSESSMENT_STATES.length) - 1] ?? null;
  const forcing = C2PA_POLICIES.filter(() => digit(2) === 1);
  const artificialBy = HEURISTIC_NAMES.filter(() => digit(2) === 1);
  if (kind === undefined || state === undefined || rest !== 0) return undefined;
  return { kind, state, finding, assessment, forcing, artificialBy };
}

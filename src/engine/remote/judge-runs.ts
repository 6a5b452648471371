/**
 * Whether the models' answers in a worker's result can be those of the packs that were asked: each asked once, what a pack
 * decides by its own, and every figure the one that follows from the model's output. Pure.
 */
import { isImagePack, type JudgingPack, packKey, type SpeechPack } from '../../domain/packs/model-pack.ts';
import { logistic } from '../../domain/verdicts/heuristics.ts';
import type { ModelRun } from '../../domain/verdicts/result.ts';
import { boundedBySpeech } from '../../domain/verdicts/speech-bounds.ts';
import { calibrate, toMissingRun, toUnknownRun } from '../analyses/calibration.ts';
import type { QueuedPack } from '../analyses/image-runs.ts';
import { agree, Contradiction, isNear, must } from './contradiction.ts';

/** One answer that must be there. */
export interface AskedRun {
  key: string;
  /** Throws a Contradiction if the pack cannot have given it. */
  check: (place: string, run: ModelRun) => void;
}

/** The packs' own answers; a pack that is gone gives the run that says so. */
export function askOf(
  packs: readonly QueuedPack<JudgingPack>[],
  missingTask: ModelRun['task'],
  { mustBeUnknown = () => false }: { mustBeUnknown?: (pack: JudgingPack) => boolean } = {},
): AskedRun[] {
  return packs.map(({ key, found }) => ({
    key,
    check: (place, run) => {
      if (found === undefined) return checkSame(place, run, toMissingRun(key, missingTask));
      checkRun(place, run, [found.pack]);
      must(run.unknown || !mustBeUnknown(found.pack), () => `${place}: ${key} answered what it cannot see`);
    },
  }));
}

/** The speech packs' answers about such speech; `seconds` is null if they are not known, as in a clip, and all is before the end. */
export function askSpeech(
  packs: readonly QueuedPack<SpeechPack>[],
  speech: { seconds: number | null; upperBandDb: number | null } | null,
): AskedRun[] {
  return packs.map(({ key, found }) => ({
    key,
    check: (place, run) => {
      if (found === undefined) return checkSame(place, run, toMissingRun(key, 'speech-origin'));
      const { pack } = found;
      checkRun(place, run, boundedAsMayBe(pack, speech));
      const isTooShort = (speech?.seconds ?? Number.POSITIVE_INFINITY) < pack.minimumSpeechSeconds;
      must(run.unknown || !isTooShort, () => `${place}: ${key} answered on too little speech`);
    },
  }));
}

/** The pack with each of the bounds that may hold for what is known of the speech. */
function boundedAsMayBe(
  pack: SpeechPack,
  speech: { seconds: number | null; upperBandDb: number | null } | null,
): [SpeechPack, ...SpeechPack[]] {
  const [wide, narrow] = [null, Number.NEGATIVE_INFINITY];
  const long = (upperBandDb: number | null) =>
    boundedBySpeech(pack, { seconds: Number.POSITIVE_INFINITY, upperBandDb });
  const short = boundedBySpeech(pack, { seconds: 0, upperBandDb: wide });
  if (speech === null) return [long(wide), long(narrow), short];
  const { seconds, upperBandDb } = speech;
  return seconds === null ? [long(upperBandDb), short] : [boundedBySpeech(pack, { seconds, upperBandDb })];
}

/** An answer that follows from others. */
export function askSame(run: ModelRun): AskedRun {
  return { key: packKeyOf(run), check: (place, found) => checkSame(place, found, run) };
}

/** Every pack that was asked answers exactly once, and no other does. */
export function checkRuns(place: string, runs: readonly ModelRun[], asked: readonly AskedRun[]): void {
  for (const { key, check } of asked) {
    const [run, ...others] = runs.filter((one) => packKeyOf(one) === key);
    if (run === undefined) throw new Contradiction(`${place}: ${key} was asked and did not answer`);
    must(others.length === 0, () => `${place}: ${key} answered ${others.length + 1} times`);
    check(place, run);
  }
  checkAskedOnly(place, runs, asked);
}

/** As `checkRuns`, if some may not have answered yet. */
export function checkRunsSoFar(place: string, runs: readonly ModelRun[], asked: readonly AskedRun[]): void {
  checkAskedOnly(place, runs, asked);
  checkRuns(
    place,
    runs,
    asked.filter(({ key }) => runs.some((run) => packKeyOf(run) === key)),
  );
}

function checkAskedOnly(place: string, runs: readonly ModelRun[], asked: readonly AskedRun[]): void {
  const keys = new Set(asked.map(({ key }) => key));
  const foreign = runs.find((run) => !keys.has(packKeyOf(run)));
  if (foreign === undefined) return;
  throw new Contradiction(`${place}: an answer of ${packKeyOf(foreign)}, which was not asked`);
}

function packKeyOf({ model, version }: ModelRun): string {
  return packKey({ id: model, version });
}

function checkSame(place: string, run: ModelRun, expected: ModelRun): void {
  if (agree(run, expected)) return;
  throw new Contradiction(
    `${place}: the answer of ${packKeyOf(run)} is not the one that follows from the others`,
  );
}

/** `packs`: the pack as it may have been bounded. */
function checkRun(place: string, run: ModelRun, packs: readonly [JudgingPack, ...JudgingPack[]]): void {
  const key = packKeyOf(run);
  const fields = packs.map((pack) => toUnknownRun(pack, ''));
  for (const field of OWN_FIELDS) {
    const isOwn = fields.some((own) => agree(run[field], own[field]));
    must(isOwn, () => `${place}: ${field} of ${key} is ${JSON.stringify(run[field])}, not the pack's own`);
  }
  const { unknown, reason, logit, logOdds, probability, device, places } = run;
  const placesMax = placesMaxOf(packs[0]);
  must(
    places === undefined || places.count <= placesMax,
    () => `${place}: places of ${key}, more than ${placesMax}`,
  );
  if (unknown) {
    const isEmpty =
      logit === null && logOdds === null && probability === null && device === '' && places === undefined;
    must(isEmpty && reason !== '', () => `${place}: ${key} gave no answer, and figures or no reason for it`);
    return;
  }
  must(reason === '', () => `${place}: ${key} answered, and says why it could not`);
  if (logit === null || logOdds === null || probability === null) {
    throw new Contradiction(`${place}: ${key} answered without figures`);
  }
  const expected = calibrate(packs[0], logit);
  must(
    isNear(logOdds, expected),
    () => `${place}: the log-odds of ${key} are ${logOdds}, by its logit ${expected}`,
  );
  const share = logistic(logOdds);
  must(
    isNear(probability, share),
    () => `${place}: the probability of ${key} is ${probability}, by its log-odds ${share}`,
  );
}

/** At how many places of a picture a pack looks; 0 if it does not answer place by place. */
function placesMaxOf(pack: JudgingPack): number {
  return isImagePack(pack) && pack.view.type === 'patches' ? pack.view.countMax : 0;
}

const OWN_FIELDS = [
  ...(['task', 'axis', 'family', 'weight'] as const),
  ...(['cautiousThreshold', 'inconclusiveLow', 'inconclusiveHigh', 'together', 'boundsFor'] as const),
];

/**
 * How the AUC of the same files changes from one tier to another, with an interval from drawing sources again. A
 * confound that the scores lean on shows as a change when it is made the same for all.
 */
import { REPLICATES } from './bootstrap.ts';
import { makeRandom } from './random.ts';
import type { ScoreRow } from './score-table.ts';

/** Of the AUC: what a confound may change before it counts as leant on. */
export const CONFOUND_CHANGE_MAX = 0.03;

export interface PairedChange {
  change: number;
  low: number;
  high: number;
}

/** Whether the scores lean on what was made the same. */
export function isConfounded({ change, low, high }: PairedChange): boolean {
  return Math.abs(change) > CONFOUND_CHANGE_MAX && (low > 0 || high < 0);
}

export function comparePaired(
  rows: readonly ScoreRow[],
  [before, after]: readonly [before: string, after: string],
  count = REPLICATES,
): PairedChange {
  const table = new AucTable(rows, [before, after]);
  const random = makeRandom(SEED);
  const changeOf = (weights: Float64Array) => table.auc(after, weights) - table.auc(before, weights);
  const drawn = Array.from({ length: count }, () => changeOf(table.draw(random))).sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.round(share * (drawn.length - 1))] ?? Number.NaN;
  return { change: changeOf(table.weights), low: at(0.025), high: at(0.975) };
}

const SEED = 1;

/** Sorted once per tier: a draw changes weights only. */
export class AucTable {
  /** One over the square root of its source's size; the AUC does not depend on the balance of labels. */
  readonly weights: Float64Array;
  readonly #isArtificial: boolean[];
  readonly #sourceOf: number[];
  readonly #sources: { human: number[]; artificial: number[] };
  readonly #byTier: Map<string, { order: Uint32Array; scores: Float64Array }>;

  constructor(rows: readonly ScoreRow[], tiers: readonly string[]) {
    const names = [...new Set(rows.map(({ label, source }) => `${label}/${source}`))];
    const indexOf = new Map(names.map((name, index) => [name, index]));
    this.#isArtificial = rows.map(({ label }) => label === 'artificial');
    this.#sourceOf = rows.map(({ label, source }) => indexOf.get(`${label}/${source}`) ?? 0);
    const sizes = new Float64Array(names.length);
    for (const source of this.#sourceOf) sizes[source] = (sizes[source] ?? 0) + 1;
    this.weights = Float64Array.from(this.#sourceOf, (source) => 1 / Math.sqrt(sizes[source] ?? 1));
    const ofLabel = (label: string) =>
      names.flatMap((name, index) => (name.startsWith(`${label}/`) ? index : []));
    this.#sources = { human: ofLabel('human'), artificial: ofLabel('artificial') };
    this.#byTier = new Map(tiers.map((tier) => [tier, sortTier(rows, tier)]));
  }

  /** Probability that an artificial file scores above a human one; ties count half. */
  auc(tier: string, weights: Float64Array): number {
    const sorted = this.#byTier.get(tier);
    if (sorted === undefined) return Number.NaN;
    const { order, scores } = sorted;
    let [human, artificial, area, tiedHuman, tiedArtificial] = [0, 0, 0, 0, 0];
    for (const [at, row] of order.entries()) {
      if (this.#isArtificial[row] === true) tiedArtificial += weights[row] ?? 0;
      else tiedHuman += weights[row] ?? 0;
      if (scores[order[at + 1] ?? -1] === scores[row]) continue;
      area += tiedArtificial * (human + tiedHuman / 2);
      human += tiedHuman;
      artificial += tiedArtificial;
      [tiedHuman, tiedArtificial] = [0, 0];
    }
    return area / (human * artificial);
  }

  /** As many sources of each label as there are; one that is drawn twice weighs twice. */
  draw(random: () => number): Float64Array {
    const times = new Float64Array(this.#sources.human.length + this.#sources.artificial.length);
    for (const sources of [this.#sources.human, this.#sources.artificial]) {
      for (let drawn = 0; drawn < sources.length; drawn++) {
        const source = sources[Math.floor(random() * sources.length)] ?? 0;
        times[source] = (times[source] ?? 0) + 1;
      }
    }
    return this.weights.map((weight, row) => weight * (times[this.#sourceOf[row] ?? 0] ?? 0));
  }
}

function sortTier(rows: readonly ScoreRow[], tier: string): { order: Uint32Array; scores: Float64Array } {
  const scores = Float64Array.from(rows, ({ logOdds }) => logOdds[tier] ?? Number.NaN);
  if (scores.some(Number.isNaN)) throw new Error(`the table has no scores in the tier ${tier}`);
  const order = Uint32Array.from(scores.keys()).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  return { order, scores };
}

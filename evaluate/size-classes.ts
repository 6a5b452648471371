/** Calibration by size: a score that is honest on large pictures may not be on small ones. */
import { type Estimate, estimateFigures } from './estimate.ts';
import { type Scored, toEce, toScored } from './figures.ts';
import { GROUP_FILES_MIN } from './groups.ts';
import type { Measurement } from './measurement.ts';
import { makeRandom } from './random.ts';

/** Pixels of the short side, as it is sent in the tier; a class ends where the next begins. */
const CLASS_FLOORS = [0, 384, 768, 1536];

export interface SizeClassReport {
  /** Shorter side in pixels from which the class begins. */
  shortSideMin: number;
  /** Exclusive; null if there is no upper end. */
  shortSideMax: number | null;
  human: number;
  artificial: number;
  /** Labels weigh the same within the class. NaN with fewer than 15 files or one label. */
  ece: Estimate;
  /** What a perfectly calibrated score would show on as many files. */
  eceByChance: number;
}

export function toSizeClasses(own: readonly Measurement[]): SizeClassReport[] {
  const sized = own.filter(({ shortSide, probability }) => shortSide !== null && probability !== null);
  return CLASS_FLOORS.flatMap((shortSideMin, index) => {
    const shortSideMax = CLASS_FLOORS[index + 1] ?? null;
    const inside = sized.filter(
      ({ shortSide }) => (shortSide ?? 0) >= shortSideMin && (shortSide ?? 0) < (shortSideMax ?? Infinity),
    );
    return inside.length === 0 ? [] : [{ shortSideMin, shortSideMax, ...toClass(inside) }];
  });
}

function toClass(inside: readonly Measurement[]): Omit<SizeClassReport, 'shortSideMin' | 'shortSideMax'> {
  const artificial = inside.filter(({ label }) => label === 'artificial').length;
  const human = inside.length - artificial;
  const none = { value: Number.NaN, low: Number.NaN, high: Number.NaN };
  if (inside.length < GROUP_FILES_MIN || human === 0 || artificial === 0) {
    return { human, artificial, ece: none, eceByChance: Number.NaN };
  }
  const rows = toScored(inside, ({ probability }) => probability);
  return { human, artificial, ece: estimateFigures(rows).ece, eceByChance: toEceByChance(rows) };
}

const SEED = 1;
const DRAWS = 200;

/** Few files in a bin miss its stated share by chance: labels are drawn as the scores state them. */
export function toEceByChance(rows: readonly Scored[]): number {
  const random = makeRandom(SEED);
  const drawn = Array.from({ length: DRAWS }, () =>
    toEce(rows.map((row) => ({ ...row, isArtificial: random() < row.probability }))),
  );
  return drawn.reduce((sum, value) => sum + value, 0) / DRAWS;
}

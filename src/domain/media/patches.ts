/** Where patches lie; training (models/training) has the same rule to the pixel: off a JPEG's 8×8 grid scores differ. */

export interface PatchLayout {
  /** Side of a patch in pixels; the picture's short side must reach it. */
  size: number;
  /** Positions are multiples of this, 8 for the JPEG block grid. */
  align: number;
  /** Most patches that may be placed. */
  countMax: number;
  /** Evenly spread candidates, of which the most detailed are taken; without it, places are spread evenly. */
  candidateCountMax?: number | undefined;
  /** Least distance of candidates in pixels; without it they lie side by side. Below `size` they overlap. */
  candidateStep?: number | undefined;
  /** Candidates with less than this share of the richest one's detail are left out. */
  detailShareMin?: number | undefined;
}

export interface PatchPosition {
  x: number;
  y: number;
}

/** Evenly spread, row by row, at most `countMax`; without a step neighbours overlap only under two patches' width. */
export function placePatches(width: number, height: number, layout: PatchLayout): PatchPosition[] {
  const { countMax } = layout;
  const columnsWanted = clampCount(Math.floor(Math.sqrt((countMax * width) / height)), width, layout);
  const rows = clampCount(Math.floor(countMax / columnsWanted), height, layout);
  const columns = clampCount(Math.floor(countMax / rows), width, layout);
  return spread(height, rows, layout).flatMap((y) => spread(width, columns, layout).map((x) => ({ x, y })));
}

/** For packs that state no share: with less, sky, wall or blur begins. */
const DETAIL_SHARE_MIN = 0.5;

/** The places with most detail, in order. Sky, walls and blur say little of an origin: models call them human. */
export function chooseByDetail(
  candidates: readonly PatchPosition[],
  details: readonly number[],
  countMax: number,
  shareMin = DETAIL_SHARE_MIN,
): PatchPosition[] {
  const detailOf = (index: number) => details[index] ?? 0;
  const most = Math.max(...details);
  const chosen = candidates
    .map((_, index) => index)
    .filter((index) => detailOf(index) >= shareMin * most)
    .sort((a, b) => detailOf(b) - detailOf(a) || a - b)
    .slice(0, countMax);
  const kept = new Set(chosen);
  return candidates.filter((_, index) => kept.has(index));
}

function clampCount(count: number, length: number, { size, candidateStep }: PatchLayout): number {
  const most =
    candidateStep === undefined ? Math.ceil(length / size) : Math.ceil((length - size) / candidateStep) + 1;
  return Math.max(1, Math.min(most, count));
}

function spread(length: number, count: number, { size, align }: PatchLayout): number[] {
  const offsets = Array.from({ length: count }, (_, index) => {
    const exact = count === 1 ? (length - size) / 2 : (index * (length - size)) / (count - 1);
    return Math.floor(exact / align) * align;
  });
  // Two places on the grid may coincide if the side is hardly longer than a patch.
  return [...new Set(offsets)];
}

/** Finds parts that lie in a picture twice: places of one code vote for their shift, and a copy gives it hundreds. */
import {
  COLUMN_BITS,
  COLUMNS,
  type CodedPlaces,
  findCodes,
  type Sides,
  SPAN,
  shrinkToLuma,
  sortByCode,
} from './coded-places.ts';

/** A shift from a part to its repetition, in pixels of the picture, `dy` ≥ 0. */
export interface RepeatedShift {
  dx: number;
  dy: number;
  /** Places with this shift. */
  votes: number;
  /** Most votes in one square of WINDOW_CELLS cells. */
  crowd: number;
  /** How far its votes exceed those of neighbouring shifts, in deviations of a count. */
  sharpness: number;
}

/** Larger pictures are halved until they fit: time and memory grow with the pixels. */
const PIXELS_MAX = 1_500_000;
const SHIFTS_MAX = 5;
/** Nearer repetitions are mostly texture. */
const SHIFT_MIN = 24;
/** Codes of more places are patterns, such as a smooth slope. */
const PLACES_PER_CODE_MAX = 24;
const NEIGHBOURS = 4;
/** Nearer shifts count as one, blurred by scaling. */
const SHIFT_TOLERANCE = 3;
const SURROUNDINGS_PX = 15;
const CELL_PX = 16;
const WINDOW_CELLS = 4;

interface Pairs {
  /** Index of the pair's shift in the table of votes, and the place of its first part. */
  shifts: Int32Array;
  places: Uint32Array;
  count: number;
}

/** `rgb`: 3 bytes a pixel, row by row. The sharpest shift comes first; at most SHIFTS_MAX. */
export function findRepeatedParts(rgb: Uint8Array, width: number, height: number): RepeatedShift[] {
  let step = 1;
  while ((width / step) * (height / step) > PIXELS_MAX) step *= 2;
  const luma = shrinkToLuma(rgb, width, height, step);
  const sides = { width: luma.width - SPAN, height: luma.height - SPAN };
  if (sides.width < SHIFT_MIN || sides.height < SHIFT_MIN) return [];
  const pairs = pairLikenesses(sortByCode(findCodes(luma, sides)), sides);
  return countVotes(pairs, sides).map(({ dx, dy, ...shift }) => ({ dx: dx * step, dy: dy * step, ...shift }));
}

/** Pairs each place with the next NEIGHBOURS of its code, if there are few enough. */
function pairLikenesses({ codes, places, count }: CodedPlaces, { width }: Sides): Pairs {
  const pairs = {
    shifts: new Int32Array(count * NEIGHBOURS),
    places: new Uint32Array(count * NEIGHBOURS),
    count: 0,
  };
  for (let first = 0, end = 0; first < count; first = end) {
    const code = codes[first] as number;
    for (end = first + 1; end < count && codes[end] === code; ) end++;
    if (end - first > 1 && end - first <= PLACES_PER_CODE_MAX)
      pairAlike(places, { first, end }, width, pairs);
  }
  return pairs;
}

function pairAlike(
  places: Uint32Array,
  { first, end }: { first: number; end: number },
  width: number,
  pairs: Pairs,
): void {
  for (let one = first; one < end; one++) {
    const place = places[one] as number;
    const last = Math.min(end - 1, one + NEIGHBOURS);
    for (let other = one + 1; other <= last; other++) {
      const likeness = places[other] as number;
      const dy = (likeness >>> COLUMN_BITS) - (place >>> COLUMN_BITS);
      const dx = (likeness & COLUMNS) - (place & COLUMNS);
      if (dx * dx + dy * dy < SHIFT_MIN ** 2) continue;
      pairs.shifts[pairs.count] = dy * 2 * width + dx + width;
      pairs.places[pairs.count++] = place;
    }
  }
}

/** Most shifts have no votes: `shifts` names those that have. */
interface Votes {
  /** Row by row, 2 × `width` shifts of one `dy` each. */
  counts: Int32Array;
  shifts: Int32Array;
  most: number;
}

function countVotes(pairs: Pairs, sides: Sides): RepeatedShift[] {
  const { width } = sides;
  const votes = voteOf(pairs, sides);
  const chosen: RepeatedShift[] = [];
  while (chosen.length < SHIFTS_MAX) {
    const found = findSharpest(votes, sides, chosen);
    if (found === null) break;
    const near = placesNear(pairs, found.shift, 2 * width);
    const { dx, dy } = toShift(found.shift, width);
    const crowd = findCrowd(near, sides);
    chosen.push({ dx, dy, votes: near.length, crowd, sharpness: found.sharpness });
  }
  return chosen;
}

function voteOf({ shifts, count }: Pairs, { width, height }: Sides): Votes {
  const counts = new Int32Array(height * 2 * width);
  const voted = new Int32Array(count);
  let [distinct, most] = [0, 0];
  for (let index = 0; index < count; index++) {
    const shift = shifts[index] as number;
    const votes = (counts[shift] as number) + 1;
    counts[shift] = votes;
    if (votes === 1) voted[distinct++] = shift;
    if (votes > most) most = votes;
  }
  return { counts, shifts: voted.subarray(0, distinct), most };
}

function toShift(shift: number, width: number): { dx: number; dy: number } {
  return { dx: (shift % (2 * width)) - width, dy: Math.floor(shift / (2 * width)) };
}

/** Far from the chosen shifts. Null if no shift stands out. */
function findSharpest(
  { counts, shifts, most }: Votes,
  sides: Sides,
  chosen: readonly RepeatedShift[],
): { shift: number; sharpness: number } | null {
  const { width } = sides;
  let best = { shift: 0, sharpness: 0 };
  // No shift is sharper than its votes, so those of few votes are looked at only if no better one is found.
  for (let [least, below] = [most / 2, most + 1]; below > 1; [least, below] = [least / 2, least]) {
    for (const shift of shifts) {
      const votes = counts[shift] as number;
      if (votes < least || votes >= below || votes <= best.sharpness) continue;
      if (isChosen(toShift(shift, width), chosen)) continue;
      const sharpness = sharpnessAt(counts, sides, shift);
      const isFirst = sharpness === best.sharpness && shift < best.shift;
      if (sharpness > best.sharpness || isFirst) best = { shift, sharpness };
    }
    if (best.sharpness >= least) break;
  }
  return best.sharpness > 0 ? best : null;
}

function isChosen({ dx, dy }: { dx: number; dy: number }, chosen: readonly RepeatedShift[]): boolean {
  return chosen.some(
    (one) => Math.abs(one.dx - dx) <= SHIFT_TOLERANCE && Math.abs(one.dy - dy) <= SHIFT_TOLERANCE,
  );
}

/** How far a shift stands out from its neighbours, in deviations of a count: texture votes for them too, a copy does not. */
function sharpnessAt(counts: Int32Array, { width, height }: Sides, shift: number): number {
  const [column, row] = [shift % (2 * width), Math.floor(shift / (2 * width))];
  const reach = Math.floor(SURROUNDINGS_PX / 2);
  let sum = 0;
  for (let y = row - reach; y <= row + reach; y++) {
    const start = Math.max(0, Math.min(height - 1, y)) * 2 * width;
    let line = 0;
    for (let x = column - reach; x <= column + reach; x++) {
      line += counts[start + Math.max(0, Math.min(2 * width - 1, x))] as number;
    }
    sum += Math.fround(line / SURROUNDINGS_PX);
  }
  const mean = Math.fround(sum / SURROUNDINGS_PX);
  return Math.fround(((counts[shift] as number) - mean) / Math.sqrt(mean + 1));
}

/** First parts of the pairs whose shift is `best` or next to it; no pair has the shift of a row's first index. */
function placesNear({ shifts, places, count }: Pairs, best: number, rowLength: number): number[] {
  const near: number[] = [];
  const [from, to] = [best - rowLength - 1, best + rowLength + 1];
  for (let index = 0; index < count; index++) {
    const shift = shifts[index] as number;
    if (shift < from || shift > to) continue;
    const away = Math.abs(shift - best);
    if (away <= 1 || away >= rowLength - 1) near.push(places[index] as number);
  }
  return near;
}

function findCrowd(places: readonly number[], { width, height }: Sides): number {
  const [columns, rows] = [Math.ceil(width / CELL_PX), Math.ceil(height / CELL_PX)];
  const cells = new Int32Array(columns * rows);
  for (const place of places) {
    const row = Math.floor((place >>> COLUMN_BITS) / CELL_PX);
    const at = row * columns + Math.floor((place & COLUMNS) / CELL_PX);
    cells[at] = (cells[at] ?? 0) + 1;
  }
  let crowd = 0;
  for (let top = 0; top < rows; top++) {
    for (let left = 0; left < columns; left++) {
      let sum = 0;
      for (let y = top; y < Math.min(rows, top + WINDOW_CELLS); y++) {
        for (let x = left; x < Math.min(columns, left + WINDOW_CELLS); x++)
          sum += cells[y * columns + x] ?? 0;
      }
      crowd = Math.max(crowd, sum);
    }
  }
  return crowd;
}

/** Squares of a picture, or all of it, scaled to a model's size: daemon and decode child place them by the same rule. */

export interface ViewLayout {
  /** Side of the scaled square in pixels. */
  size: number;
  fit: 'stretch' | 'letterbox';
  /** 1: the whole picture; 2: overlapping squares as well, for small objects. */
  levels: number;
}

/** Part of the picture in pixels; a letterboxed one may reach beyond the right and the lower edge, where it is black. */
export interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Side of the squares of the second level, in long sides of the picture. */
const SQUARE_SHARE = 0.5;
/** Least overlap of neighbours, so that an object on an edge is whole in one of them. */
const OVERLAP_SHARE = 0.25;

/** A panorama with more squares is shown whole only, since they would cost more than all else. */
const VIEWS_MAX = 33;

export function placeViews(width: number, height: number, { size, fit, levels }: ViewLayout): View[] {
  if (fit === 'stretch') return [{ x: 0, y: 0, width, height }];
  const long = Math.max(width, height);
  const whole = { x: 0, y: 0, width: long, height: long };
  const side = Math.min(Math.round(long * SQUARE_SHARE), Math.min(width, height));
  // Squares smaller than the model's own size would only be blown up.
  if (levels < 2 || side < size / 2) return [whole];
  const squares = spread(height, side).flatMap((y) =>
    spread(width, side).map((x) => ({ x, y, width: side, height: side })),
  );
  return squares.length < VIEWS_MAX ? [whole, ...squares] : [whole];
}

function spread(length: number, side: number): number[] {
  const count = Math.ceil((length - side) / (side * (1 - OVERLAP_SHARE))) + 1;
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 0 : Math.round((index * (length - side)) / (count - 1)),
  );
}

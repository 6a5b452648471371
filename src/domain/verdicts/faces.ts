/** Faces in BlazeFace's output: per anchor a logit, a relative box and six unused points. A face of several counts once. */
import type { View } from '../media/views.ts';

export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface Face {
  /** Whole pixels of the picture, inside it. */
  box: Box;
  /** Probability that it is one. */
  score: number;
}

export interface FaceRule {
  /** Side of the model's input. */
  size: number;
  scoreMin: number;
  /** In pixels of the picture: smaller finds are texture like eyes and a mouth. */
  sideMin: number;
  overlapMax: number;
  boxScale: number;
}

/** Values per anchor: logit, centre, size, six points. */
export const ANCHOR_VALUES = 17;
/** Cells along a side, and anchors in each; row by row. */
const GRIDS = [
  { cells: 16, anchorsPerCell: 2 },
  { cells: 8, anchorsPerCell: 6 },
] as const;
export const ANCHOR_COUNT = GRIDS.reduce(
  (sum, { cells, anchorsPerCell }) => sum + cells ** 2 * anchorsPerCell,
  0,
);
/** More faces than anybody reads about. */
export const FACES_MAX = 20;
/** Boxes considered at once; a hostile picture could light up every anchor of every view. */
const CANDIDATES_MAX = 500;

/** `values`: those of one view after the other. The surest first. */
export function findFaces(
  values: Float32Array,
  views: readonly View[],
  picture: { width: number; height: number },
  rule: FaceRule,
): Face[] {
  const found = views
    .flatMap((view, index) => facesOfView(values, index, view, rule))
    .sort((one, other) => other.score - one.score)
    .slice(0, CANDIDATES_MAX);
  const kept: Face[] = [];
  for (const face of found) {
    if (kept.length === FACES_MAX) break;
    if (kept.every((other) => coverOf(face.box, other.box) <= rule.overlapMax)) kept.push(face);
  }
  return kept.flatMap(({ box, score }) => {
    const inside = clip(box, picture);
    return inside.x2 > inside.x1 && inside.y2 > inside.y1 ? [{ box: inside, score }] : [];
  });
}

function facesOfView(values: Float32Array, viewIndex: number, view: View, rule: FaceRule): Face[] {
  const faces: Face[] = [];
  const first = viewIndex * ANCHOR_COUNT;
  for (let anchor = 0; anchor < ANCHOR_COUNT; anchor++) {
    const at = (first + anchor) * ANCHOR_VALUES;
    const score = 1 / (1 + Math.exp(-(values[at] ?? Number.NaN)));
    if (!(score >= rule.scoreMin)) continue;
    const box = boxOf(values.subarray(at + 1, at + 5), anchor, view, rule);
    const side = Math.min(box.x2 - box.x1, box.y2 - box.y1);
    if (Object.values(box).every(Number.isFinite) && side >= rule.sideMin) faces.push({ box, score });
  }
  return faces;
}

function boxOf(
  [dx = 0, dy = 0, w = 0, h = 0]: Float32Array,
  anchor: number,
  view: View,
  rule: FaceRule,
): Box {
  const { size, boxScale } = rule;
  const [centreX, centreY] = anchorCentre(anchor, size);
  const [scaleX, scaleY] = [view.width / size, view.height / size];
  const [x, y] = [view.x + (centreX + dx) * scaleX, view.y + (centreY + dy) * scaleY];
  const [halfWidth, halfHeight] = [(w * scaleX * boxScale) / 2, (h * scaleY * boxScale) / 2];
  return { x1: x - halfWidth, y1: y - halfHeight, x2: x + halfWidth, y2: y + halfHeight };
}

function anchorCentre(anchor: number, size: number): [number, number] {
  let rest = anchor;
  for (const { cells, anchorsPerCell } of GRIDS) {
    const count = cells ** 2 * anchorsPerCell;
    if (rest < count) {
      const cell = Math.floor(rest / anchorsPerCell);
      const stride = size / cells;
      return [((cell % cells) + 0.5) * stride, (Math.floor(cell / cells) + 0.5) * stride];
    }
    rest -= count;
  }
  throw new Error(`there is no anchor ${anchor}`);
}

/** The covered share of the smaller box: parts of a face that a square shows lie inside the whole one. */
export function coverOf(one: Box, other: Box): number {
  const width = Math.min(one.x2, other.x2) - Math.max(one.x1, other.x1);
  const height = Math.min(one.y2, other.y2) - Math.max(one.y1, other.y1);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(areaOf(one), areaOf(other));
}

const areaOf = ({ x1, y1, x2, y2 }: Box): number => (x2 - x1) * (y2 - y1);

function clip({ x1, y1, x2, y2 }: Box, { width, height }: { width: number; height: number }): Box {
  const within = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)));
  return { x1: within(x1, width), y1: within(y1, height), x2: within(x2, width), y2: within(y2, height) };
}

/** How a stored frame is shown: turned or mirrored, with pixels that may not be square. */
import { AV_FRAME_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import type { Frame, Stream } from 'node-av/lib';

/** What is done to a stored frame, in the filters' words. */
const TURNS = {
  none: '',
  half: 'hflip,vflip',
  mirror: 'hflip',
  flip: 'vflip',
  clockwise: 'transpose=clock',
  counterclockwise: 'transpose=cclock',
  'mirrored counterclockwise': 'transpose=cclock_flip',
  'mirrored clockwise': 'transpose=clock_flip',
} as const;
export type Turn = keyof typeof TURNS;

export interface Display {
  turn: Turn;
  /** Width of a pixel over its height. */
  pixelAspect: number;
}

/** Other proportions come from a damaged header, and would blow a frame up without bound. */
const PIXEL_ASPECT_MAX = 4;

export function displayOf(stream: Stream, frame: Frame): Display {
  const matrix =
    stream.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) ??
    frame.getSideData(AV_FRAME_DATA_DISPLAYMATRIX);
  // The container counts more than the codec, as in players.
  const { num, den } = [stream.sampleAspectRatio, frame.sampleAspectRatio].find((ratio) => ratio.num > 0) ?? {
    num: 1,
    den: 1,
  };
  const aspect = den > 0 ? num / den : 1;
  const isSane = aspect <= PIXEL_ASPECT_MAX && aspect >= 1 / PIXEL_ASPECT_MAX;
  return { turn: matrix === null ? 'none' : readTurn(matrix), pixelAspect: isSane ? aspect : 1 };
}

/** Four of the matrix's nine numbers turn the frame (ISO/IEC 14496-12 6.2.2), oblique angles to the nearest quarter. */
export function readTurn(matrix: Buffer): Turn {
  if (matrix.length < 36) return 'none';
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at)) as [number, number, number, number];
  if (Math.abs(a) + Math.abs(d) >= Math.abs(b) + Math.abs(c)) {
    if (a >= 0) return d >= 0 ? 'none' : 'flip';
    return d >= 0 ? 'mirror' : 'half';
  }
  if (b >= 0) return c < 0 ? 'clockwise' : 'mirrored counterclockwise';
  return c < 0 ? 'mirrored clockwise' : 'counterclockwise';
}

export const turnFilters = (turn: Turn): string[] => (TURNS[turn] === '' ? [] : [TURNS[turn]]);

/** Sides of the frame with square pixels, before it is turned: players stretch the width. */
export function squareSides(
  { width, height }: Frame,
  { pixelAspect }: Display,
): { width: number; height: number } {
  return { width: Math.max(1, Math.round(width * pixelAspect)), height };
}

export function shownSides(frame: Frame, display: Display): { width: number; height: number } {
  const { width, height } = squareSides(frame, display);
  return /clockwise/.test(display.turn) ? { width: height, height: width } : { width, height };
}

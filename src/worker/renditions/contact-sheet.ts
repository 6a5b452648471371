/** The frames of a video with time and share, the most suspicious marked; no clock or font, so equal frames, equal bytes. */
import { join } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import type { RenditionFigures, SheetFrame, SheetPlace } from '../../domain/media/rendition.ts';
import { counted } from '../../domain/shown-text.ts';
import { mostSuspiciousIndex } from '../../domain/verdicts/suspicious-moment.ts';
import { drawText, GLYPH_HEIGHT, textWidth } from '../maps/bitmap-font.ts';
import { RAMP, rampOffset } from '../maps/colour-ramp.ts';
import { toPictureFault } from '../media/media-fault.ts';
import type { ReportStep } from '../media/progress.ts';
import { readHeader } from '../pictures/header.ts';
import { openUpright } from '../pictures/upright-picture.ts';
import type { DrawSheetRequest } from '../protocol/decode-protocol.ts';

type Colour = readonly [red: number, green: number, blue: number];

const BACKGROUND: Colour = [24, 24, 24];
/** The background around a frame that does not fill its box, and under a bar. */
const SUNK: Colour = [44, 44, 44];
const INK: Colour = [236, 236, 236];
const QUIET: Colour = [168, 168, 168];
/** Neither end of the ramp, since the most suspicious frame need not be artificial. */
const MARK: Colour = [255, 196, 0];

const FILE = 'sheet.png';
const FRAME_SIDE_MAX = 320;
/** A time of hours and a share fit below it. */
const BOX_WIDTH_MIN = 168;
const BOX_HEIGHT_MIN = 48;
const COLUMNS = 5;
const COLUMNS_UPRIGHT = 6;
const MARGIN = 20;
const GAP = 16;
const BAR_HEIGHT = 6;
const MARK_WIDTH = 4;
const SCALE = 2;
const LINE_HEIGHT = GLYPH_HEIGHT * SCALE;
const LINE_GAP = 10;
/** The bar, the line of text and what lies between. */
const CAPTION_HEIGHT = 6 + BAR_HEIGHT + LINE_GAP + LINE_HEIGHT;
const HEAD_HEIGHT = 2 * LINE_HEIGHT + LINE_GAP + GAP;
/** Shown characters of the file's hash: enough to distinguish the films of one desk. */
const HASH_CHARACTERS = 16;

interface Canvas {
  width: number;
  height: number;
  rgb: Buffer;
}

export async function drawSheet(
  request: DrawSheetRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<RenditionFigures> {
  const { frames } = request;
  const head = headOf(request);
  const places = layOut(request);
  const right = Math.max(...places.map(({ left, width }) => left + width));
  const bottom = Math.max(...places.map(({ top, height }) => top + height));
  const width = MARGIN + Math.max(right, ...head.map((line) => MARGIN + textWidth(line, SCALE)));
  const height = bottom + CAPTION_HEIGHT + MARGIN;
  const canvas: Canvas = { width, height, rgb: Buffer.alloc(width * height * 3, BACKGROUND[0]) };
  const most = mostSuspiciousIndex(frames);
  write(canvas, head[0], MARGIN, MARGIN, INK);
  write(canvas, head[1], MARGIN, MARGIN + LINE_HEIGHT + LINE_GAP, most === null ? QUIET : MARK);
  const overlays: OverlayOptions[] = [];
  for (const [index, place] of places.entries()) {
    const frame = frames[index];
    if (frame === undefined) continue;
    report('sheet', index, frames.length);
    caption(canvas, place, frame, index === most);
    overlays.push(await fitFrame(join(slotFolder, 'in', frame.input), place, request.limits));
  }
  await sharp(canvas.rgb, { raw: { width, height, channels: 3 } })
    .composite(overlays)
    .png({ compressionLevel: 6, adaptiveFiltering: true })
    .toFile(join(slotFolder, 'out', FILE));
  return { kind: 'sheet', width, height, frames: places };
}

function headOf({ hash, durationSeconds, frames }: DrawSheetRequest): [film: string, finding: string] {
  const most = frames[mostSuspiciousIndex(frames) ?? -1];
  const finding =
    most === undefined
      ? 'no model could answer'
      : `most suspicious: ${toTime(most.timeSeconds)}, ${toShare(most.probability)} artificial`;
  return [
    `video ${hash.slice(0, HASH_CHARACTERS)}  ${toTime(durationSeconds)}  ${counted(frames.length, 'frame')}`,
    finding,
  ];
}

/** Boxes of one size in rows, whatever the frames' own sizes. */
function layOut({ width, height, frames }: DrawSheetRequest): SheetPlace[] {
  const scale = FRAME_SIDE_MAX / Math.max(width, height);
  const box = {
    width: Math.max(BOX_WIDTH_MIN, Math.round(width * scale)),
    height: Math.max(BOX_HEIGHT_MIN, Math.round(height * scale)),
  };
  const columns = height > width ? COLUMNS_UPRIGHT : COLUMNS;
  return frames.map(({ timeSeconds }, index) => ({
    timeSeconds,
    left: MARGIN + (index % columns) * (box.width + GAP),
    top: MARGIN + HEAD_HEIGHT + Math.floor(index / columns) * (box.height + CAPTION_HEIGHT + GAP),
    ...box,
  }));
}

async function fitFrame(
  path: string,
  { left, top, width, height }: SheetPlace,
  limits: DrawSheetRequest['limits'],
): Promise<OverlayOptions> {
  const header = await readHeader(path, limits);
  try {
    const upright = await openUpright(header);
    const [r, g, b] = SUNK;
    const input = await upright
      .resize({ width, height, fit: 'contain', background: { r, g, b } })
      .flatten({ background: { r, g, b } })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer();
    return { input, raw: { width, height, channels: 3 }, left, top };
  } catch (error) {
    throw toPictureFault(error, header.format);
  }
}

function caption(
  canvas: Canvas,
  { left, top, width, height }: SheetPlace,
  { timeSeconds, probability }: SheetFrame,
  isMost: boolean,
): void {
  if (isMost) {
    // The frame covers all but the mark's edge.
    const sides = { width: width + 2 * MARK_WIDTH, height: height + 2 * MARK_WIDTH };
    fill(canvas, { left: left - MARK_WIDTH, top: top - MARK_WIDTH, ...sides }, MARK);
  }
  const barTop = top + height + 6;
  fill(canvas, { left, top: barTop, width, height: BAR_HEIGHT }, SUNK);
  if (probability !== null) {
    const filled = Math.max(1, Math.round(width * probability));
    const at = rampOffset(probability);
    const colour: Colour = [RAMP[at] ?? 0, RAMP[at + 1] ?? 0, RAMP[at + 2] ?? 0];
    fill(canvas, { left, top: barTop, width: filled, height: BAR_HEIGHT }, colour);
  }
  const lineTop = barTop + BAR_HEIGHT + LINE_GAP;
  const share = toShare(probability);
  write(canvas, toTime(timeSeconds), left, lineTop, isMost ? MARK : INK);
  write(canvas, share, left + width - textWidth(share, SCALE), lineTop, isMost ? MARK : INK);
}

/** As on the page: whole seconds, `1:02:03` from an hour on. */
function toTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

function toShare(probability: number | null): string {
  return probability === null ? '-' : `${Math.round(probability * 100)} %`;
}

function write(canvas: Canvas, text: string, left: number, top: number, colour: Colour): void {
  drawText(text, SCALE, (x, y) => canvas.rgb.set(colour, ((top + y) * canvas.width + left + x) * 3));
}

function fill(
  { width: stride, rgb }: Canvas,
  { left, top, width, height }: Omit<SheetPlace, 'timeSeconds'>,
  colour: Colour,
): void {
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) rgb.set(colour, (y * stride + x) * 3);
  }
}

/** Draws the primary item of a HEIF file, after each of its steps in order. It is in memory once, twice while turned. */
import type { Sharp } from 'sharp';
import type { Display } from '../libav/display.ts';
import { toUprightPicture } from '../libav/frame-picture.ts';
import { HeifFile, type HeifItem, type HeifStep } from '../libav/heif-items.ts';
import { ItemDecoder } from '../libav/item-decoder.ts';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import { giveBackPicture } from '../media/scratch.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { assertBounds } from './picture-bounds.ts';
import { openPixels } from './picture-file.ts';
import { cutRegion, type Region } from './picture-region.ts';

interface Sides {
  width: number;
  height: number;
}

/** Turns are properties of items, not of their frames. */
const AS_STORED: Display = { turn: 'none', pixelAspect: 1 };
/** Derived items of derived items: a grid of cropped pictures, turned, has three. */
const DEPTH_MAX = 6;
/** Decoded against shown pixels: tiles beyond the edge and layers on one another. */
const LAYERS_MAX = 4;
/** Twice the parts of a grid, since parts of parts could multiply without end. */
const PARTS_MAX = 2048;

/** The shown sides, by the description alone, and how many pictures a viewer can choose from. */
export function describeHeif(path: string): Sides & { pages: number } {
  using file = openItems(path);
  return { ...shownSides(file, file.item(file.primary), 0), pages: file.pictureCount };
}

/** Throws MediaFaultFound if a part is missing, damaged or too large. */
export async function drawHeif(path: string, limits: DecodeLimits): Promise<Picture> {
  using drawing = new Drawing(openItems(path), limits);
  return await drawing.draw(drawing.file.primary);
}

function openItems(path: string): HeifFile {
  const file = HeifFile.open(path);
  if (file === null) throw new MediaFaultFound('corrupt', 'the HEIF data names no picture');
  return file;
}

/** How a derived item is composed: the sides of the canvas, and the place of each input. */
interface Canvas extends Sides {
  /** Columns of a grid; of layers, the place of each. */
  layout: { columns: number } | { places: { x: number; y: number }[] };
  /** RGB of the uncovered canvas. */
  fill: [number, number, number];
}

class Drawing implements Disposable {
  readonly file: HeifFile;
  readonly #limits: DecodeLimits;
  #pixelsLeft: number;
  #partsLeft = PARTS_MAX;
  #decoder: ItemDecoder | null = null;

  constructor(file: HeifFile, limits: DecodeLimits) {
    this.file = file;
    this.#limits = limits;
    this.#pixelsLeft = limits.pixelsMax * LAYERS_MAX;
  }

  async draw(id: number, depth = 0): Promise<Picture> {
    const item = this.file.item(id);
    assertDepth(depth);
    this.#partsLeft -= 1;
    if (this.#partsLeft < 0)
      throw new MediaFaultFound('corrupt', `the HEIF picture has more than ${PARTS_MAX} parts`);
    let picture = await this.#compose(item, depth);
    if (item.alpha !== null) layOnWhite(picture, await this.#compose(this.file.item(item.alpha), depth + 1));
    for (const step of item.steps) {
      const stored = picture;
      picture = await apply(stored, step);
      giveBackPicture(stored);
    }
    return picture;
  }

  [Symbol.dispose](): void {
    this.#decoder?.[Symbol.dispose]();
    this.file[Symbol.dispose]();
  }

  async #compose(item: HeifItem, depth: number): Promise<Picture> {
    if (item.type === 'iden') return await this.draw(onlyInput(item), depth + 1);
    const canvas = readCanvas(this.file, item);
    if (canvas === null) return this.#decode(item);
    this.#take(canvas);
    const picture = { ...canvas, rgb: Buffer.alloc(canvas.width * canvas.height * 3) };
    if (canvas.fill.some((value) => value > 0)) picture.rgb.fill(Buffer.from(canvas.fill));
    const { layout } = canvas;
    for (const [index, input] of item.inputs.entries()) {
      const part = await this.draw(input, depth + 1);
      const { x, y } =
        'columns' in layout
          ? {
              x: (index % layout.columns) * part.width,
              y: Math.floor(index / layout.columns) * part.height,
            }
          : (layout.places[index] ?? { x: 0, y: 0 });
      lay(picture, part, x, y);
      giveBackPicture(part);
    }
    return { width: canvas.width, height: canvas.height, rgb: picture.rgb };
  }

  #decode(item: HeifItem): Picture {
    const { pixelsMax } = this.#limits;
    if (item.sides !== null) assertBounds(item.sides, this.#limits);
    if (this.#decoder?.settings !== item.settings) {
      this.#decoder?.[Symbol.dispose]();
      this.#decoder = null;
      this.#decoder = new ItemDecoder(item, pixelsMax);
    }
    const frame = this.#decoder.decode(this.file.read(item), item.colours);
    this.#take(frame);
    return fit(toUprightPicture(frame, AS_STORED), item.sides);
  }

  #take(sides: Sides): void {
    assertBounds(sides, this.#limits);
    this.#pixelsLeft -= sides.width * sides.height;
    if (this.#pixelsLeft >= 0) return;
    const what = `the parts of the picture have more than ${LAYERS_MAX * this.#limits.pixelsMax} pixels`;
    throw new MediaFaultFound('too_many_pixels', what);
  }
}

function assertDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw new MediaFaultFound('corrupt', 'the HEIF picture is made of itself');
}

function onlyInput({ inputs: [input] }: HeifItem): number {
  if (input === undefined) throw new MediaFaultFound('corrupt', 'the HEIF data names no picture');
  return input;
}

function shownSides(file: HeifFile, item: HeifItem, depth: number): Sides {
  assertDepth(depth);
  const stored =
    item.type === 'iden'
      ? shownSides(file, file.item(onlyInput(item)), depth + 1)
      : (readCanvas(file, item) ?? item.sides);
  if (stored === null) throw new MediaFaultFound('corrupt', 'the HEIF data does not say how large it is');
  return item.steps.reduce<Sides>((sides, step) => {
    if (step.type === 'crop') return cropOf(sides, step);
    const isQuarter = step.type === 'rotate' && step.clockwise % 180 === 90;
    return isQuarter ? { width: sides.height, height: sides.width } : sides;
  }, stored);
}

/** Null if the item is no canvas. */
function readCanvas(file: HeifFile, item: HeifItem): Canvas | null {
  if (item.type === 'grid') return toGrid(file.read(item), item);
  return item.type === 'iovl' ? toOverlay(file.read(item), item) : null;
}

const DAMAGED_LAYOUT = 'the HEIF data does not say how its parts lie';

/** ISO/IEC 23008-12 6.6.2.3: version, flags, rows and columns less one, sides. */
function toGrid(payload: Buffer, { inputs }: HeifItem): Canvas {
  const isLong = ((payload[1] ?? 0) & 1) === 1;
  if (payload.length < (isLong ? 12 : 8)) throw new MediaFaultFound('corrupt', DAMAGED_LAYOUT);
  const [rows, columns] = [payload.readUInt8(2) + 1, payload.readUInt8(3) + 1];
  if (inputs.length !== rows * columns) throw new MediaFaultFound('corrupt', DAMAGED_LAYOUT);
  const width = isLong ? payload.readUInt32BE(4) : payload.readUInt16BE(4);
  const height = isLong ? payload.readUInt32BE(8) : payload.readUInt16BE(6);
  return { width, height, layout: { columns }, fill: [0, 0, 0] };
}

/** 6.6.2.2: version, flags, the background (RGBA, 16 bits each), sides, then the place of each input. */
function toOverlay(payload: Buffer, { inputs }: HeifItem): Canvas {
  const bytes = ((payload[1] ?? 0) & 1) === 1 ? 4 : 2;
  if (inputs.length === 0 || payload.length < 10 + bytes * (2 + 2 * inputs.length))
    throw new MediaFaultFound('corrupt', DAMAGED_LAYOUT);
  const alpha = payload.readUInt16BE(8) / 65_535;
  // Transparency is laid on white, as on a page.
  const [red = 0, green = 0, blue = 0] = [2, 4, 6].map((at) =>
    Math.round(255 + alpha * (payload.readUInt16BE(at) / 257 - 255)),
  );
  const place = (index: number) => payload.readIntBE(10 + bytes * (2 + index), bytes);
  return {
    width: payload.readUIntBE(10, bytes),
    height: payload.readUIntBE(10 + bytes, bytes),
    layout: { places: inputs.map((_, index) => ({ x: place(2 * index), y: place(2 * index + 1) })) },
    fill: [red, green, blue],
  };
}

/** An encoder may pad a picture to whole blocks, which are cut off here. */
function fit(picture: Picture, sides: Sides | null): Picture {
  const { width, height } = sides ?? picture;
  if (picture.width === width && picture.height === height) return picture;
  if (picture.width >= width && picture.height >= height)
    return cutRegion(picture, { x: 0, y: 0, width, height });
  const found = `${picture.width} × ${picture.height} pixels, and says ${width} × ${height}`;
  throw new MediaFaultFound('corrupt', `a part of the HEIF picture has ${found}`);
}

/** Parts outside the canvas are cut off: tiles at its right and lower edge reach beyond it. */
function lay(canvas: Picture, part: Picture, x: number, y: number): void {
  const left = Math.max(0, -x);
  const columns = Math.min(part.width, canvas.width - x) - left;
  if (columns <= 0) return;
  for (let row = Math.max(0, -y); row < part.height && y + row < canvas.height; row++) {
    const from = (row * part.width + left) * 3;
    part.rgb.copy(canvas.rgb, ((y + row) * canvas.width + x + left) * 3, from, from + columns * 3);
  }
}

/** The picture as a page shows it. Opacity of other sides than the picture's is ignored. */
function layOnWhite({ width, height, rgb }: Picture, opacity: Picture): void {
  if (opacity.width !== width || opacity.height !== height) return;
  for (let at = 0; at < rgb.length; at += 1) {
    const share = (opacity.rgb[at] ?? 0) / 255;
    rgb[at] = Math.round(255 + share * ((rgb[at] ?? 0) - 255));
  }
}

/** The library turns before it mirrors, whatever the order of calls, so each step is a picture of its own. */
async function apply(picture: Picture, step: HeifStep): Promise<Picture> {
  const { data, info } = await change(picture, step).raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

function change(picture: Picture, step: HeifStep): Sharp {
  const image = openPixels(picture);
  if (step.type === 'rotate') return image.rotate(step.clockwise);
  if (step.type === 'mirror') return step.isUpDown ? image.flip() : image.flop();
  const { x, y, ...sides } = cropOf(picture, step);
  return image.extract({ left: x, top: y, ...sides });
}

/** ISO/IEC 14496-12 12.1.4; parts outside the picture are left out. */
function cropOf({ width, height }: Sides, step: HeifStep & { type: 'crop' }): Region {
  const [x, columns] = within(width, step.width, step.right);
  const [y, rows] = within(height, step.height, step.down);
  if (columns < 1 || rows < 1) throw new MediaFaultFound('corrupt', 'the HEIF picture is cropped to nothing');
  return { x, y, width: columns, height: rows };
}

function within(whole: number, part: number, offset: number): [start: number, length: number] {
  const start = Math.floor(offset + (whole - part) / 2);
  const begin = Math.max(0, start);
  return [begin, Math.min(whole, start + Math.round(part)) - begin];
}

/** Copies of a picture by a rule: what happens to pictures on their way through the web, by name. The same seed gives the same copies. */
import sharp, { type OverlayOptions, type Sharp } from 'sharp';

export interface Pixels {
  width: number;
  height: number;
  rgb: Buffer;
}

/** Draws numbers 0..1. */
export type Draw = () => number;

export type MakeCopy = (picture: Pixels, draw: Draw, others: readonly Pixels[]) => Promise<Pixels>;

/** Longest side of the originals that copies are made of. */
export const WORK_SIDE = 1024;

export async function readPicture(path: string, side = WORK_SIDE): Promise<Pixels> {
  const upright = sharp(path, { failOn: 'none' }).rotate().flatten({ background: '#fff' });
  return await toPixels(upright.resize(side, side, { fit: 'inside', withoutEnlargement: true }));
}

export async function toPixels(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

export function fromPixels({ width, height, rgb }: Pixels): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

async function saved(picture: Sharp, quality = 75): Promise<Pixels> {
  // The picture goes through sharp twice: it runs the steps of one pipeline in its own order.
  return await toPixels(sharp(await picture.jpeg({ quality }).toBuffer()));
}

async function cut({ width, height, ...picture }: Pixels, share: number, draw: Draw): Promise<Pixels> {
  const [w, h] = [Math.round(width * share), Math.round(height * share)];
  const left = Math.floor(draw() * (width - w + 1));
  const top = Math.floor(draw() * (height - h + 1));
  return await saved(
    fromPixels({ width, height, ...picture }).extract({ left, top, width: w, height: h }),
    80,
  );
}

async function layer(picture: Pixels, width: number, height: number): Promise<OverlayOptions['input']> {
  return await fromPixels(picture).resize(width, height, { fit: 'cover' }).png().toBuffer();
}

/** Puts the picture among others into a sheet of tiles. */
async function collage(
  pictures: readonly Pixels[],
  columns: number,
  tile: readonly [number, number],
): Promise<Pixels> {
  const rows = Math.ceil(pictures.length / columns);
  const [width, height] = tile;
  const inputs = await Promise.all(pictures.map((picture) => layer(picture, width, height)));
  const ground = sharp({
    create: { width: columns * width, height: rows * height, channels: 3, background: '#fff' },
  });
  const overlays = inputs.flatMap((input, index) =>
    input === undefined
      ? []
      : [{ input, left: (index % columns) * width, top: Math.floor(index / columns) * height }],
  );
  return await saved(ground.composite(overlays));
}

function shuffledIn(picture: Pixels, others: readonly Pixels[], draw: Draw): Pixels[] {
  const place = Math.floor(draw() * (others.length + 1));
  return [...others.slice(0, place), picture, ...others.slice(place)];
}

async function inlay(picture: Pixels, draw: Draw, [ground]: readonly Pixels[]): Promise<Pixels> {
  if (ground === undefined) throw new Error('an inlay needs another picture');
  const [width, height] = [900, 600];
  const scale = Math.min((width * 0.5) / picture.width, (height * 0.5) / picture.height);
  const [w, h] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  const input = await layer(picture, w, h);
  const overlay = { input, left: Math.floor(draw() * (width - w)), top: Math.floor(draw() * (height - h)) };
  const under = sharp(await fromPixels(ground).resize(width, height, { fit: 'cover' }).png().toBuffer());
  return await saved(under.composite([overlay as OverlayOptions]));
}

async function screenshot(picture: Pixels, draw: Draw): Promise<Pixels> {
  const [width, height] = [720, 1280];
  const scale = Math.min((width * 0.94) / picture.width, (height * 0.55) / picture.height);
  const [w, h] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  const lines = Array.from({ length: 9 }, (_, line) => {
    const y = line < 4 ? 60 + line * 22 : 260 + h + (line - 4) * 28;
    return `<rect x="40" y="${y}" width="${200 + draw() * 440}" height="12" fill="#888"/>`;
  });
  const page = `<svg width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fafafa"/><circle cx="60" cy="180" r="30" fill="#3b82f6"/>${lines.join('')}</svg>`;
  const input = await layer(picture, w, h);
  const overlay = { input, left: Math.floor((width - w) / 2), top: 230 };
  return await saved(sharp(Buffer.from(page)).composite([overlay as OverlayOptions]));
}

async function caption(picture: Pixels): Promise<Pixels> {
  const bar = Math.round(picture.height * 0.16);
  const { width } = picture;
  const height = picture.height + bar;
  const words = `<svg width="${width}" height="${height}"><text x="50%" y="${height - bar * 0.3}" font-size="${bar * 0.5}" text-anchor="middle" font-family="sans-serif">when you see it, told you so</text><rect y="${picture.height * 0.04}" width="${width}" height="${bar * 0.7}" fill="#000" fill-opacity="0.6"/></svg>`;
  const extended = await fromPixels(picture).extend({ bottom: bar, background: '#fff' }).png().toBuffer();
  return await saved(sharp(extended).composite([{ input: Buffer.from(words) }]));
}

export const COPIES: Readonly<Record<string, MakeCopy>> = {
  'half size, JPEG 30': (picture) => saved(fromPixels(picture).resize(Math.max(64, picture.width >> 1)), 30),
  'cut to 40 % of the area': (picture, draw) => cut(picture, Math.sqrt(0.4), draw),
  'cut to 40 % of each side': (picture, draw) => cut(picture, 0.4, draw),
  mirrored: (picture) => saved(fromPixels(picture).flop()),
  'turned by 90°': (picture) => saved(fromPixels(picture).rotate(90)),
  'turned by 8°': (picture, draw) =>
    saved(fromPixels(picture).rotate(draw() < 0.5 ? 8 : -8, { background: '#000' })),
  caption: (picture) => caption(picture),
  'collage of two': (picture, draw, others) =>
    collage(shuffledIn(picture, others.slice(0, 1), draw), 2, [400, 400]),
  'collage of four': (picture, draw, others) =>
    collage(shuffledIn(picture, others.slice(0, 3), draw), 2, [400, 300]),
  'inlaid at half the size': inlay,
  screenshot,
};

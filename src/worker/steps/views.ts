/** Views of a picture, each scaled to the size that a model takes, as RGB bytes for the inference process. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { placeViews, type View } from '../../domain/media/views.ts';
import type { Picture } from '../media/picture.ts';
import type { ViewKernel, ViewSetRequest } from '../protocol/decode-protocol.ts';
import type { PatchSet } from '../protocol/decoded-media.ts';
import { SET_NAME } from './patches.ts';

interface WantedViews {
  name: string;
  size: number;
  kernel: ViewKernel;
  views: readonly View[];
}

/** `filePrefix` distinguishes frames. */
export async function writeViewSet(
  picture: Picture,
  { name, layout, kernel }: ViewSetRequest,
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet> {
  const views = placeViews(picture.width, picture.height, layout);
  return await writeViews(picture, { name, size: layout.size, kernel, views }, outFolder, filePrefix);
}

export async function writeViews(
  picture: Picture,
  { name, size, kernel, views }: WantedViews,
  outFolder: string,
  filePrefix = '',
): Promise<PatchSet> {
  if (!SET_NAME.test(name)) throw new Error(`a set of views cannot be named ${JSON.stringify(name)}`);
  const file = `${filePrefix}${name}.rgb`;
  await using output = await open(join(outFolder, file), 'w');
  for (const view of views) {
    const scaled =
      kernel === 'linear' ? await scaleLinear(picture, view, size) : sampleCorners(picture, view, size);
    await output.writeFile(scaled);
  }
  const { width, height } = picture;
  return { name, file, size, positions: views.map(({ x, y }) => ({ x, y })), width, height };
}

/** What of the view lies outside the picture is black. */
async function scaleLinear(picture: Picture, view: View, size: number): Promise<Buffer> {
  const inside = {
    left: view.x,
    top: view.y,
    width: Math.min(view.width, picture.width - view.x),
    height: Math.min(view.height, picture.height - view.y),
  };
  const width = Math.max(1, Math.round((inside.width * size) / view.width));
  const height = Math.max(1, Math.round((inside.height * size) / view.height));
  const raw = { width: picture.width, height: picture.height, channels: 3 as const };
  return await sharp(picture.rgb, { raw, limitInputPixels: false })
    .extract(inside)
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .extend({ right: size - width, bottom: size - height, background: '#000000' })
    .raw()
    .toBuffer();
}

/** TensorFlow's bilinear sampling with its corners on the corner pixels; it does not average what lies between. */
function sampleCorners({ width, rgb }: Picture, view: View, size: number): Buffer {
  const scaled = Buffer.alloc(size * size * 3);
  const columns = cornerSamples(view.x, view.width, size);
  let at = 0;
  for (const { from: top, to: bottom, share: down } of cornerSamples(view.y, view.height, size)) {
    for (const { from: left, to: right, share: across } of columns) {
      for (let channel = 0; channel < 3; channel++) {
        const upper = mix(
          rgb,
          (top * width + left) * 3 + channel,
          (top * width + right) * 3 + channel,
          across,
        );
        const lower = mix(
          rgb,
          (bottom * width + left) * 3 + channel,
          (bottom * width + right) * 3 + channel,
          across,
        );
        scaled[at++] = Math.round(upper + (lower - upper) * down);
      }
    }
  }
  return scaled;
}

interface CornerSample {
  from: number;
  to: number;
  share: number;
}

function cornerSamples(start: number, length: number, size: number): CornerSample[] {
  return Array.from({ length: size }, (_, index) => {
    const exact = size === 1 ? 0 : (index * (length - 1)) / (size - 1);
    const from = Math.floor(exact);
    return { from: start + from, to: start + Math.min(length - 1, from + 1), share: exact - from };
  });
}

function mix(bytes: Buffer, left: number, right: number, share: number): number {
  const from = bytes[left] ?? 0;
  return from + ((bytes[right] ?? 0) - from) * share;
}

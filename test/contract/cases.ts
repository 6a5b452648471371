/** One table of behaviours; contract.test.ts runs every row through every facade. */
import sharp from 'sharp';
import { IMAGE_BYTES_MAX } from '../../src/domain/limits.ts';
import { greyPng, patternImage } from '../media/pictures.ts';

export interface RefusedCase {
  name: string;
  file: string;
  bytes: () => Promise<Uint8Array>;
  /** Code and reason of domain/errors.ts; REST shows the status instead of the reason. */
  code: string;
  reason: string;
  status: number;
}

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300"/></svg>';
const BOMB_SIDE = 30_000;
const SMALL_SIDE = 64;

export const REFUSED: RefusedCase[] = [
  {
    name: 'a truncated JPEG',
    file: 'cut.jpg',
    bytes: async () => {
      const whole = await patternImage(640, 480).jpeg().toBuffer();
      return whole.subarray(0, Math.floor(whole.length / 2));
    },
    code: 'invalid_argument',
    reason: 'corrupt',
    status: 422,
  },
  {
    name: 'a PNG of 30,000 × 30,000 pixels',
    file: 'bomb.png',
    bytes: async () => greyPng(BOMB_SIDE, BOMB_SIDE, 1),
    code: 'invalid_argument',
    reason: 'too_many_pixels',
    status: 422,
  },
  {
    name: 'an SVG named .png',
    file: 'drawing.png',
    bytes: async () => Buffer.from(SVG),
    code: 'invalid_argument',
    reason: 'unsupported_media_type',
    status: 400,
  },
  {
    name: 'an empty file',
    file: 'nothing.jpg',
    bytes: async () => Buffer.alloc(0),
    code: 'invalid_argument',
    reason: 'bad_field',
    status: 400,
  },
  {
    name: 'an image of 16 MB',
    file: 'heavy.jpg',
    bytes: async () => {
      const picture = await patternImage(640, 480).jpeg().toBuffer();
      return Buffer.concat([picture, Buffer.alloc(IMAGE_BYTES_MAX + 1 - picture.length)]);
    },
    code: 'invalid_argument',
    reason: 'too_large',
    status: 413,
  },
  {
    name: 'a picture below the model’s minimum',
    file: 'small.png',
    bytes: async () =>
      await sharp({ create: { width: SMALL_SIDE, height: SMALL_SIDE, channels: 3, background: '#357' } })
        .png()
        .toBuffer(),
    code: 'invalid_argument',
    reason: 'below_minimum',
    status: 422,
  },
];

/** The signature of settings that NovelAI and sd-webui hide in lowest bits, column by column; lossy copies lose it. */
import type { Metadata } from 'sharp';
import type { Picture } from '../media/picture.ts';
import { openPicture } from './picture-file.ts';

const SIGNATURES = ['stealth_pnginfo', 'stealth_pngcomp', 'stealth_rgbinfo', 'stealth_rgbcomp'];
const SIGNATURE_BYTES = 15;
const SIGNATURE_BITS = SIGNATURE_BYTES * 8;
/** Formats that keep lowest bits. */
const LOSSLESS = ['png', 'webp'];

export interface StealthChannel {
  channel: 'alpha' | 'colours';
  signature: string;
}

export async function readStealthChannel(
  path: string,
  { format, hasAlpha, width, height }: Metadata,
  picture: Picture | null,
): Promise<StealthChannel | null> {
  if (!LOSSLESS.includes(format)) return null;
  if (hasAlpha) {
    const columns = Math.min(width, Math.ceil(SIGNATURE_BITS / height));
    const area = { left: 0, top: 0, width: columns, height };
    const alpha = await openPicture(path, false).extract(area).extractChannel('alpha').raw().toBuffer();
    const signature = readSignature((bit) => alpha[Math.floor(bit / height) + (bit % height) * columns]);
    if (signature !== null) return { channel: 'alpha', signature };
  }
  if (picture === null) return null;
  const signature = readSignature((bit) => {
    const pixel = Math.floor(bit / 3);
    const x = Math.floor(pixel / picture.height);
    return picture.rgb[((pixel % picture.height) * picture.width + x) * 3 + (bit % 3)];
  });
  return signature === null ? null : { channel: 'colours', signature };
}

/** Each byte's most significant bit comes first. */
function readSignature(sampleAt: (bit: number) => number | undefined): string | null {
  const bytes = Buffer.alloc(SIGNATURE_BYTES);
  for (let bit = 0; bit < SIGNATURE_BITS; bit++) {
    const sample = sampleAt(bit) ?? 0;
    bytes[bit >> 3] = ((bytes[bit >> 3] ?? 0) << 1) | (sample & 1);
  }
  const text = bytes.toString('latin1');
  return SIGNATURES.includes(text) ? text : null;
}

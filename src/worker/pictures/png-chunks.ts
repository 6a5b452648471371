/** What a PNG's first chunks say and the picture library does not: an animation, or Apple's own form. */
import { FileWindow } from './file-window.ts';

const SIGNATURE_BYTES = 8;
/** A chunk has its length and type first, then its data, then a checksum. */
const HEAD_BYTES = 8;
const CHECK_BYTES = 4;
/** Real files have some dozens before the picture. */
const CHUNKS_MAX = 10_000;

export interface PngForm {
  /** Compressed for Apple's programs alone. */
  isCgbi: boolean;
  /** Frames of an animation; null for a still. */
  frames: number | null;
  /** Whether the picture that plain PNG readers find is the animation's first frame; if not, no browser shows it. */
  isDefaultShown: boolean;
}

export interface PngChunk {
  type: string;
  at: number;
  size: number;
}

export function* pngChunks(file: FileWindow): Generator<PngChunk, void, undefined> {
  for (let at = SIGNATURE_BYTES; ; ) {
    const head = file.read(at, HEAD_BYTES);
    if (head === null) return;
    const size = head.readUInt32BE(0);
    yield { type: head.toString('latin1', 4), at: at + HEAD_BYTES, size };
    at += HEAD_BYTES + size + CHECK_BYTES;
  }
}

export function readPngForm(path: string): PngForm {
  using file = new FileWindow(path);
  const form: PngForm = { isCgbi: false, frames: null, isDefaultShown: false };
  let controls = 0;
  let hasPicture = false;
  let count = 0;
  for (const { type, at } of pngChunks(file)) {
    count += 1;
    if (count > CHUNKS_MAX) break;
    if (type === 'CgBI') form.isCgbi = true;
    if (type === 'acTL') {
      form.frames = file.read(at, 4)?.readUInt32BE(0) ?? null;
      controls += 1;
    }
    if (type === 'fcTL' && !hasPicture) form.isDefaultShown = true;
    if (type === 'IDAT') hasPicture = true;
    if (hasPicture && form.frames === null) break;
    if (type === 'fdAT') return controls === 1 ? form : { ...form, frames: null };
  }
  // Without further frames, or with two chunks that count them, browsers show the picture alone.
  return { ...form, frames: null };
}

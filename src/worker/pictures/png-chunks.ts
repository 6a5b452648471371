/** What of a PNG its first chunks say and the picture library does not: whether it is an animation, and Apple's own form of it. */
import { FileWindow } from './file-window.ts';

const SIGNATURE_BYTES = 8;
/** A chunk has its length and type first, then its data, then a checksum. */
const HEAD_BYTES = 8;
const CHECK_BYTES = 4;
/** Before the picture stand some dozens. */
const CHUNKS_MAX = 10_000;

export interface PngForm {
  /** Compressed otherwise than PNG is, for Apple's programs alone. */
  isCgbi: boolean;
  /** Frames of an animation; null if it is none. */
  frames: number | null;
  /** Whether the picture that readers of PNG alone find is the first of the animation's frames; if not, no browser shows it. */
  isDefaultShown: boolean;
}

export interface PngChunk {
  type: string;
  /** The place of its data in the file. */
  at: number;
  size: number;
}

/** In the order of the file, by their heads alone. */
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
  // Without further frames, or with two that say how many there are, browsers show the picture alone.
  return { ...form, frames: null };
}

/** What of a PNG its first chunks say and the picture library does not: whether it is an animation, and Apple's own form of it. */
import { open } from 'node:fs/promises';

const SIGNATURE_BYTES = 8;
/** Length and type of a chunk, and the check behind it. */
const CHUNK_BYTES = 12;
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

export async function readPngForm(path: string): Promise<PngForm> {
  await using file = await open(path, 'r');
  const form: PngForm = { isCgbi: false, frames: null, isDefaultShown: false };
  let controls = 0;
  let hasPicture = false;
  let at = SIGNATURE_BYTES;
  for (let count = 0; count < CHUNKS_MAX; count++) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    const type = buffer.toString('latin1', 4, 8);
    if (bytesRead < CHUNK_BYTES) break;
    if (type === 'CgBI') form.isCgbi = true;
    if (type === 'acTL') form.frames = buffer.readUInt32BE(8);
    if (type === 'acTL') controls += 1;
    if (type === 'fcTL' && !hasPicture) form.isDefaultShown = true;
    if (type === 'IDAT') hasPicture = true;
    if (hasPicture && form.frames === null) break;
    if (type === 'fdAT') return controls === 1 ? form : { ...form, frames: null };
    at += CHUNK_BYTES + buffer.readUInt32BE(0);
  }
  // Without further frames, or with two that say how many there are, browsers show the picture alone.
  return { ...form, frames: null };
}

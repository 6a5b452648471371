/** Whether a WAV file is shorter than it says; the media library takes what is there for the whole. */
import { open } from 'node:fs/promises';

/** Written by encoders that cannot go back to the header. */
const SIZES_UNKNOWN = [0, 0x7fff_ffff, 0xffff_ffff];
/** Recorders round the size up. */
const SLACK_BYTES = 64;

export async function isRiffCutOff(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
  if (buffer.toString('latin1', 0, 4) !== 'RIFF') return false;
  const claimed = buffer.readUInt32LE(4);
  if (SIZES_UNKNOWN.includes(claimed)) return false;
  return claimed + 8 > (await file.stat()).size + SLACK_BYTES;
}

/** Bounds decoded sound by file size: half a megabyte of FLAC holds two hours of silence, which costs minutes. */
import { MediaFaultFound } from './media-fault.ts';

/** Counts all channels. Speech at 6 kbit/s that pauses five sixths of the time has half as many; silent stereo in FLAC has more. */
const SAMPLES_PER_BYTE_MAX = 500;
/** Always allowed, whatever the file's size: nine minutes of stereo. */
const SAMPLES_FREE = 50_000_000;

/** `samples`: of all channels. */
export function assertDenseSound(samples: number, fileBytes: number): void {
  if (samples <= Math.max(SAMPLES_FREE, fileBytes * SAMPLES_PER_BYTE_MAX)) return;
  const found = `the file packs more than ${SAMPLES_PER_BYTE_MAX} samples of sound into a byte`;
  throw new MediaFaultFound('corrupt', `${found} (${fileBytes} bytes); it holds little but silence`);
}

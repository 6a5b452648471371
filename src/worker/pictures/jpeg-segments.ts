/** Walks the segments of a JPEG before its first scan (ITU-T T.81, Annex B), reading only what is asked for. */
import { type FileHandle, open } from 'node:fs/promises';

const MARKER_SOS = 0xda;
/** A legal file has a few dozen segments before its data; a hostile one could have millions. */
const SEGMENTS_MAX = 2000;

export interface JpegSegment {
  marker: number;
  data: Buffer;
}

/** Segments with one of `markers`, in the order of the file; ends early if the file is no JPEG or is cut off. */
export async function* readSegments(path: string, markers: readonly number[]): AsyncGenerator<JpegSegment> {
  await using file = await open(path, 'r');
  let offset = 2;
  for (let count = 0; count < SEGMENTS_MAX; count++) {
    const [mark, marker, high, low] = await readBytes(file, offset, 4);
    if (mark !== 0xff || marker === undefined || high === undefined || low === undefined) return;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (marker === MARKER_SOS) return;
    const length = high * 256 + low;
    if (markers.includes(marker))
      yield { marker, data: await readBytes(file, offset + 4, Math.max(0, length - 2)) };
    offset += 2 + length;
  }
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** A file's own fault is a final `failed`, in a sentence made here; every other error is `broken` and costs the child. */
import type { MediaFault } from '../protocol/decode-protocol.ts';

export class MediaFaultFound extends Error {
  override readonly name = 'MediaFaultFound';
  readonly fault: MediaFault;

  constructor(fault: MediaFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Decoder texts that concern this machine, not the file: a fresh child may succeed. */
const OWN_FAULT =
  /out of memory|unable to (allocate|malloc)|cannot allocate|no space left|too many open files/i;
const ENDS_EARLY =
  /premature end|truncated|unexpected end|end of (file|stream)|libpng read error|not enough/i;

/** Whole data of a kind that the decoder does not know: compressions of TIFF, 12 bits, lossless or JPEG-LS (0xf7) in JPEG. */
const UNKNOWN_KIND =
  /compression (scheme|support).* not (implemented|configured)|whole number of bytes|samples out of range|no known route|unsupported jpeg (data precision|process)|arithmetic coding|marker type 0xf7|not supported/i;

/** Turns a picture decoder's error into the one to throw. */
export function toPictureFault(error: unknown, format: string): Error {
  if (error instanceof MediaFaultFound) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (OWN_FAULT.test(text)) return new Error(`the picture decoder ran out of resources: ${firstLine(text)}`);
  if (UNKNOWN_KIND.test(text)) {
    const what = `the ${format} data is of a kind that is not read here (${firstLine(text)})`;
    return new MediaFaultFound('unsupported_media_type', what, error);
  }
  const what = ENDS_EARLY.test(text)
    ? `the ${format} data ends early or is damaged`
    : `the ${format} data is damaged`;
  return new MediaFaultFound('corrupt', `${what} (${firstLine(text)})`, error);
}

/** Decoder texts may repeat one complaint on many lines. */
export function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').replace(/[\s:.]+$/, '').slice(0, 200);
}

import { MediaFaultFound } from '../media/media-fault.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';

/** Throws MediaFaultFound if a picture has no pixels or too many. */
export function assertBounds(
  { width, height }: { width: number; height: number },
  { pixelsMax, sidePixelsMax }: DecodeLimits,
): void {
  if (!(width > 0 && height > 0)) throw new MediaFaultFound('corrupt', 'the picture has no pixels');
  if (Math.max(width, height) > sidePixelsMax) {
    const found = `the picture is ${width} × ${height} pixels`;
    throw new MediaFaultFound('too_many_pixels', `${found}; a side may have at most ${sidePixelsMax}`);
  }
  if (width * height > pixelsMax) {
    const found = `the picture has ${width * height} pixels (${width} × ${height})`;
    throw new MediaFaultFound('too_many_pixels', `${found}; at most ${pixelsMax} are accepted`);
  }
}

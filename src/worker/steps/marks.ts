/** The marks that the decoder itself looks for; the provenance step reads the others (domain/verdicts/marks.ts). */
import { formatOf } from '../../domain/media/formats.ts';
import type { MarkSearch } from '../../domain/verdicts/marks.ts';
import type { Picture } from '../media/picture.ts';
import { findWatermarks } from './invisible-watermarks.ts';

/** `picture` is null for films and sound: the open schemes mark single pictures, and do not survive in a film's frames. */
export function searchMarks(mime: string, picture: Picture | null): MarkSearch {
  const hasReadMetadata = picture === null || formatOf(mime)?.hasMetadata === true;
  return { hasReadMetadata, watermarks: picture === null ? null : findWatermarks(picture) };
}

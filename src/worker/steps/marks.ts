/** What the decoder itself looks for of a file's marks: the provenance step reads the rest (domain/verdicts/marks.ts). */
import { formatOf } from '../../domain/media/formats.ts';
import type { MarkSearch } from '../../domain/verdicts/marks.ts';
import type { Picture } from '../media/picture.ts';
import { findWatermarks } from './invisible-watermarks.ts';

/** `picture` is null for films and sound: the open schemes mark single pictures, and no film's frame still holds one. */
export function searchMarks(mime: string, picture: Picture | null): MarkSearch {
  const hasReadMetadata = picture === null || formatOf(mime)?.hasMetadata === true;
  return { hasReadMetadata, watermarks: picture === null ? null : findWatermarks(picture) };
}

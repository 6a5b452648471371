/** Makes one rendition of the file in the slot, for people's eyes and ears; nothing of it is analysed. */
import { join } from 'node:path';
import type { RenditionFigures } from '../domain/media/rendition.ts';
import type { ReportStep } from './media/progress.ts';
import type { RenderRequest } from './protocol/decode-protocol.ts';
import { renderFilm, renderSound } from './renditions/rendition-film.ts';
import { renderPeaks } from './renditions/rendition-peaks.ts';
import { renderPicture, renderPreview } from './renditions/rendition-picture.ts';
import { renderStrip } from './renditions/rendition-strip.ts';
import { renderThumbnail } from './renditions/rendition-thumbnail.ts';
import { renderTiles } from './renditions/rendition-tiles.ts';

export async function render(
  { input, limits, kind }: RenderRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<RenditionFigures> {
  const work = { path: join(slotFolder, 'in', input), outFolder: join(slotFolder, 'out'), limits, report };
  switch (kind) {
    case 'picture':
      return await renderPicture(work);
    case 'preview':
      return await renderPreview(work);
    case 'tiles':
      return await renderTiles(work);
    case 'film':
      return await renderFilm(work);
    case 'sound':
      return await renderSound(work);
    case 'strip':
      return await renderStrip(work);
    case 'peaks':
      return await renderPeaks(work);
    case 'thumbnail':
      return await renderThumbnail(work);
  }
}

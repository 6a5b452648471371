/** Parts of a picture for a model that looks closer: faces, once another model has found them. */
import { join } from 'node:path';
import { readPicture } from './kept-picture.ts';
import type { CutViewsRequest, PatchSet } from './protocol/decode-protocol.ts';
import { writeViews } from './steps/views.ts';

export async function cutViews(request: CutViewsRequest, slotFolder: string): Promise<PatchSet> {
  const { folder, input, limits, views } = request;
  const picture = await readPicture(join(slotFolder, folder, input), limits);
  return await writeViews(picture, { ...request, views }, join(slotFolder, 'out'));
}

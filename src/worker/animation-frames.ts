/** Further frames of an animation: a PNG in `out/`, from which more can be cut if it decides, and its patches. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { furtherFrames } from '../domain/media/animation.ts';
import { MediaFaultFound, toPictureFault } from './media/media-fault.ts';
import type { Picture, PictureHeader } from './media/picture.ts';
import { giveBackPicture } from './media/scratch.ts';
import { openPicture, openPixels } from './pictures/picture-file.ts';
import { toPicture } from './pictures/pixels.ts';
import type { PatchSetRequest } from './protocol/decode-protocol.ts';
import type { AnimationFrame, PatchSet } from './protocol/decoded-media.ts';
import { PNG_OPTIONS } from './steps/frame-writer.ts';
import { writePatchSet } from './steps/patches.ts';

export async function writeAnimationFrames(
  header: PictureHeader,
  requests: readonly PatchSetRequest[],
  outFolder: string,
): Promise<AnimationFrame[]> {
  const frames: AnimationFrame[] = [];
  if (header.frames === null || requests.length === 0) return frames;
  for await (const [index, picture] of openFrames(header, furtherFrames(header))) {
    const { width, height } = picture;
    const number = index + 1;
    const file = `page-${number}.png`;
    await writeFile(join(outFolder, file), await openPixels(picture).png(PNG_OPTIONS).toBuffer());
    const patchSets: PatchSet[] = [];
    for (const request of requests) {
      const set = await writePatchSet(picture, request, outFolder, `page-${number}-`);
      if (set !== null) patchSets.push(set);
    }
    giveBackPicture(picture);
    frames.push({ number, file, width, height, patchSets });
  }
  return frames;
}

async function* openFrames(
  header: PictureHeader,
  indexes: readonly number[],
): AsyncGenerator<[index: number, picture: Picture]> {
  if (header.frames === 'track') {
    const { readTrack } = await import('./pictures/track-picture.ts');
    for (const [index, image] of readTrack(header, indexes)) yield [index, await toPicture(image)];
    return;
  }
  for (const index of indexes) {
    const picture = await decodePage(header, index);
    if (picture !== null) yield [index, picture];
  }
}

/** Null if the frame is damaged: players still show those before it. */
async function decodePage({ path, format, limits }: PictureHeader, page: number): Promise<Picture | null> {
  try {
    return await toPicture(openPicture(path, limits.pixelsMax, 'truncated', 'stored', page));
  } catch (error) {
    const fault = toPictureFault(error, format);
    if (fault instanceof MediaFaultFound) return null;
    throw fault;
  }
}

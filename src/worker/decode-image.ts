/** A decode child's part of the analysis of a picture: everything but the models. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { furtherFrames } from '../domain/media/animation.ts';
import type { PerceptualHash } from '../domain/media/perceptual-hash.ts';
import { endPicture } from './kept-picture.ts';
import { MediaFaultFound, toPictureFault } from './media/media-fault.ts';
import type { Picture, PictureHeader } from './media/picture.ts';
import type { ReportStep } from './media/progress.ts';
import { giveBackPicture } from './media/scratch.ts';
import { readHeader } from './pictures/header.ts';
import { openPicture, openPixels } from './pictures/picture-file.ts';
import { decodePixels, toPicture } from './pictures/pixels.ts';
import type { DecodeImageRequest, PatchSetRequest } from './protocol/decode-protocol.ts';
import type { AnimationFrame, DecodedImage, PatchedPicture, PatchSet } from './protocol/decoded-media.ts';
import { PNG_OPTIONS } from './steps/frame-writer.ts';
import { searchMarks } from './steps/marks.ts';
import { writePatchSet } from './steps/patches.ts';
import { hashPicture } from './steps/perceptual-hash.ts';
import { addMetadata, readManifests } from './steps/provenance.ts';
import { measureQuality } from './steps/quality.ts';
import { writeViewSet } from './steps/views.ts';

const STEPS = ['header', 'pixels', 'quality', 'provenance', 'marks', 'likeness'] as const;

interface Callbacks {
  report: ReportStep;
  /** Called when the patches lie in `out/`: the models need not wait for later steps. */
  patched: (picture: PatchedPicture) => void;
}

export async function decodeImage(
  request: DecodeImageRequest,
  slotFolder: string,
  { report, patched }: Callbacks,
): Promise<DecodedImage> {
  const path = join(slotFolder, 'in', request.input);
  let begun = 0;
  const begin = (step: (typeof STEPS)[number] | 'patches') =>
    report(step, begun++, STEPS.length + request.patchSets.length);

  begin('header');
  const header = await readHeader(path, request.limits);
  begin('pixels');
  const { mime, width, height, pages } = header;
  const order = { path, mime, trust: request.trust };
  // Runs beside the pixels, which another thread decodes; its fault is met below. Only manifests are read here: the picture
  // library has one text of errors for all threads, and reading metadata would wipe a warning about the pixels.
  const reading = readManifests(order);
  const read = Promise.allSettled([reading]);
  const { picture, lacksData } = await decodePixels(header).catch(async (error: unknown) => {
    await read;
    throw error;
  });

  const patchSets = await writeSets(picture, request, join(slotFolder, 'out'), () => begin('patches'));
  patched({ width, height, patchSets });

  begin('quality');
  const quality = await measureQuality(header, lacksData);
  begin('provenance');
  let known: PerceptualHash | null = null;
  const hash = () => (known ??= hashPicture(picture));
  const provenance = await addMetadata(await reading, { ...order, picture, hash });
  begin('marks');
  const marks = searchMarks(mime, picture);
  begin('likeness');
  const likeness = hash();
  const frames = await writeAnimationFrames(header, request.frameSets ?? [], join(slotFolder, 'out'));
  endPicture(path, picture, { isKept: request.keepsPicture === true });
  return { mime, width, height, pages, quality, provenance, marks, likeness, frames, patchSets };
}

async function writeSets(
  picture: Picture,
  { patchSets, viewSets = [] }: Pick<DecodeImageRequest, 'patchSets' | 'viewSets'>,
  outFolder: string,
  onSet: () => void,
): Promise<PatchSet[]> {
  const sets: PatchSet[] = [];
  for (const set of patchSets) {
    onSet();
    const written = await writePatchSet(picture, set, outFolder);
    if (written !== null) sets.push(written);
  }
  for (const set of viewSets) sets.push(await writeViewSet(picture, set, outFolder));
  return sets;
}

/** Further frames of an animation: a PNG in `out/`, from which more can be cut if it decides, and its patches. */
async function writeAnimationFrames(
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

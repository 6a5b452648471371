/** The analysis of a picture, as far as a decode child takes it: everything but the models. */
import { join } from 'node:path';
import { STORED_KEYPOINTS_MAX } from '../domain/media/keypoints.ts';
import { keepPicture } from './kept-picture.ts';
import { readHeader } from './pictures/header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { DecodedImage, DecodeImageRequest, PatchSet } from './protocol.ts';
import { describeLikeness } from './steps/likeness.ts';
import { searchMarks } from './steps/marks.ts';
import { writePatchSet } from './steps/patches.ts';
import type { ReportStep } from './steps/progress.ts';
import { readProvenance } from './steps/provenance.ts';
import { measureQuality } from './steps/quality.ts';
import { writeViewSet } from './steps/views.ts';

const STEPS_BEFORE_PATCHES = 5;

export async function decodeImage(
  request: DecodeImageRequest,
  slotFolder: string,
  report: ReportStep,
): Promise<DecodedImage> {
  const path = join(slotFolder, 'in', request.input);
  const total = STEPS_BEFORE_PATCHES + request.patchSets.length;

  report('header', 0, total);
  const header = await readHeader(path, request.limits);
  report('provenance', 1, total);
  const provenance = await readProvenance({ path, mime: header.mime, trust: request.trust });
  report('pixels', 2, total);
  const { picture, lacksData } = await decodePixels(header);
  if (request.keepsPicture === true) keepPicture(path, picture);
  report('quality', 3, total);
  const quality = await measureQuality(header, lacksData);

  report('marks', 4, total);
  const marks = searchMarks(header.mime, picture);
  const likeness = await describeLikeness(picture, STORED_KEYPOINTS_MAX);

  const patchSets: PatchSet[] = [];
  for (const [index, set] of request.patchSets.entries()) {
    report(`patches of ${set.variant}`, STEPS_BEFORE_PATCHES + index, total);
    const written = await writePatchSet(picture, set, join(slotFolder, 'out'));
    if (written !== null) patchSets.push(written);
  }
  for (const set of request.viewSets ?? []) {
    patchSets.push(await writeViewSet(picture, set, join(slotFolder, 'out')));
  }
  const { mime, width, height, pages } = header;
  return { mime, width, height, pages, quality, provenance, marks, likeness, patchSets };
}

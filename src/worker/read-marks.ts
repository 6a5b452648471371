/** The marks of a file without an analysis: provenance, metadata and watermarks, of whatever kind it is. */
import { join } from 'node:path';
import { ownRange } from './libav/joins.ts';
import { MediaFile } from './libav/media-file.ts';
import { readHeader } from './pictures/header.ts';
import { readMediaType } from './pictures/media-header.ts';
import { decodePixels } from './pictures/pixels.ts';
import type { ReadMarksRequest } from './protocol/decode-protocol.ts';
import type { ReadMarks } from './protocol/decoded-media.ts';
import { searchMarks } from './steps/marks.ts';
import { checkStreams } from './steps/probe-container.ts';
import { readProvenance } from './steps/provenance.ts';

export async function readMarks(request: ReadMarksRequest, slotFolder: string): Promise<ReadMarks> {
  const path = join(slotFolder, 'in', request.input);
  const type = await readMediaType(path);
  if (type.kind === 'image') {
    const header = await readHeader(path, request.limits);
    const { mime } = header;
    const { picture } = await decodePixels(header);
    const provenance = await readProvenance({ path, mime, trust: request.trust, picture });
    return { kind: 'image', mime, provenance, marks: searchMarks(mime, picture) };
  }
  using file = new MediaFile(path, type, ownRange(path, type));
  const { mime } = checkStreams(file.container, type);
  const kind = file.container.video === null ? 'audio' : 'video';
  const provenance = await readProvenance({ path, mime, trust: request.trust, tags: file.container.tags });
  return { kind, mime, provenance, marks: searchMarks(mime, null) };
}

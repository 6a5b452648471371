/** Reads a file's manifests alone: no pixel and no sound is decoded. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Provenance } from '../domain/provenance/provenance.ts';
import { ownRange } from './libav/joins.ts';
import { MediaFile } from './libav/media-file.ts';
import { readHeader } from './pictures/header.ts';
import { readMediaType } from './pictures/media-header.ts';
import type { ReadProvenanceRequest } from './protocol/decode-protocol.ts';
import { checkStreams } from './steps/probe-container.ts';
import { type OuterManifest, readProvenance } from './steps/provenance.ts';

export async function readProvenanceOnly(
  { input, limits, trust, manifest: outer }: ReadProvenanceRequest,
  slotFolder: string,
): Promise<Provenance> {
  const path = join(slotFolder, 'in', input);
  const manifest: OuterManifest | null =
    outer === undefined
      ? null
      : { bytes: await readFile(join(slotFolder, 'in', outer.input)), source: outer.source };
  const type = await readMediaType(path);
  if (type.kind === 'image') {
    const { mime } = await readHeader(path, limits);
    return await readProvenance({ path, mime, trust, manifest });
  }
  using file = new MediaFile(path, type, ownRange(path, type));
  const { mime } = checkStreams(file.container, type);
  return await readProvenance({ path, mime, trust, manifest });
}

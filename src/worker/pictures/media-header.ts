/** The type of any file by its first bytes, and the refusal of those that are none of ours. */
import { open } from 'node:fs/promises';
import { describeAcceptedTypes, type MediaType } from '../../domain/media/formats.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { HEAD_BYTES, sniffMediaType } from '../../domain/media/sniff.ts';
import { MediaFaultFound } from '../media-fault.ts';
import { describeHead } from './foreign-types.ts';

/** Throws `unsupported_media_type` with what was found instead. */
export async function readMediaType(path: string): Promise<MediaType> {
  const head = await readHead(path);
  const type = sniffMediaType(head);
  if (type !== undefined) return type;
  throw new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${describeHead(head)}, which is none of the accepted types of pictures, video and sound`,
  );
}

export function refuseKind(expected: MediaKind, found: string): MediaFaultFound {
  return new MediaFaultFound(
    'unsupported_media_type',
    `the file is ${found}; accepted are ${describeAcceptedTypes(expected)}`,
  );
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

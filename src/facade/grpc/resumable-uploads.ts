/** Uploads that name themselves: continued by another stream where one broke off. */
import type { App } from '../../app/appliance/app.ts';
import type { Principal } from '../../app/callers/principal.ts';
import {
  appendUpload,
  beginUpload,
  finishUpload,
  parseUploadId,
  queryUpload,
} from '../../app/submissions/unfinished-uploads.ts';
import type { ReceivedMedia } from '../../app/submissions/uploads.ts';
import { badField } from '../../domain/errors.ts';
import type { MediaHeader } from '../../grpc/gen/assay/v1/media_pb.ts';

export interface ResumableInput {
  principal: Principal;
  header: MediaHeader;
  bytes: AsyncIterable<Uint8Array>;
  /** The field of the bytes, for errors. */
  field: string;
  bytesMax: number | undefined;
}

/** Begins or goes on, as the header's offset says; resolves once the file is whole. */
export async function receiveResumable(
  app: App,
  { principal, header, bytes, field, bytesMax }: ResumableInput,
  signal: AbortSignal,
): Promise<ReceivedMedia> {
  const uploadId = parseUploadId(header.uploadId, 'header.upload_id');
  const sizeField = 'header.size_bytes';
  if (header.offset === 0n) {
    const { name, sizeBytes } = header;
    const upload = { principal, uploadId, field: sizeField, name, sizeBytes: Number(sizeBytes), bytesMax };
    await beginUpload(app, upload);
  } else await assertContinues(app, { principal, uploadId, header });
  await appendUpload(app, { principal, uploadId, field, bytes }, signal);
  return await finishUpload(app, { principal, uploadId, field: sizeField }, signal);
}

async function assertContinues(
  app: App,
  { principal, uploadId, header }: { principal: Principal; uploadId: string; header: MediaHeader },
): Promise<void> {
  const { committedBytes, sizeBytes } = await queryUpload(app, { principal, uploadId });
  if (header.offset !== BigInt(committedBytes)) {
    const expected = `${committedBytes}, the committed bytes, or 0 to begin anew`;
    throw badField('header.offset', `expected ${expected}, found ${header.offset}`);
  }
  if (header.sizeBytes !== BigInt(sizeBytes)) {
    throw badField(
      'header.size_bytes',
      `expected ${sizeBytes} as announced before, found ${header.sizeBytes}`,
    );
  }
}

/** An upload that may be continued, and how it is read back from its note on the disk. */
import { z } from 'zod';

const count = z.int().min(0);

const unfinishedUploadSchema = z
  .object({
    accountId: count,
    /** The caller's own name of the upload. */
    uploadId: z.string(),
    name: z.string(),
    /** Size of the whole file, as announced. */
    sizeBytes: count,
    /** The fields of the later submission, as the caller wrote them. */
    fields: z.record(z.string(), z.string()),
    /** Microseconds since 1970. */
    createdAt: count,
    /** Time of the last bytes. */
    touchedAt: count,
    /** Bytes that a crash does not lose; the next ones continue from here. */
    committedBytes: count,
    /** The record of the upload, once it is whole and was accepted. */
    identifier: z.string().nullable(),
  })
  .refine(({ sizeBytes, committedBytes }) => committedBytes <= sizeBytes);

export type UnfinishedUpload = z.infer<typeof unfinishedUploadSchema>;

/** Undefined for anything that this program did not write in full. */
export function parseUnfinishedUpload(text: string): UnfinishedUpload | undefined {
  try {
    return unfinishedUploadSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

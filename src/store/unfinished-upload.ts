/** An upload that may be continued, and how it is read back from its note on the disk. */

export interface UnfinishedUpload {
  accountId: number;
  /** The caller's own name of the upload. */
  uploadId: string;
  name: string;
  /** Size of the whole file, as announced. */
  sizeBytes: number;
  /** The fields of the later submission, as the caller wrote them. */
  fields: Record<string, string>;
  /** Microseconds since 1970. */
  createdAt: number;
  /** Time of the last bytes. */
  touchedAt: number;
  /** Bytes that a crash does not lose; the next ones continue from here. */
  committedBytes: number;
  /** The record of the upload, once it is whole and was accepted. */
  identifier: string | null;
}

/** Undefined for anything that this program did not write in full. */
export function parseUnfinishedUpload(text: string): UnfinishedUpload | undefined {
  let value: Partial<UnfinishedUpload> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { accountId, uploadId, name, sizeBytes, fields, createdAt, touchedAt, committedBytes, identifier } =
    value;
  if (typeof uploadId !== 'string' || typeof name !== 'string') return undefined;
  if (!isCount(accountId) || !isCount(sizeBytes) || !isCount(committedBytes)) return undefined;
  if (!isCount(createdAt) || !isCount(touchedAt) || committedBytes > sizeBytes) return undefined;
  if (!isTexts(fields) || (identifier !== null && typeof identifier !== 'string')) return undefined;
  return { accountId, uploadId, name, sizeBytes, fields, createdAt, touchedAt, committedBytes, identifier };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}

/** One range of bytes of a request (RFC 9110, section 14): players ask for the part of a film that they show next. */

export interface ByteRange {
  first: number;
  /** Inclusive, as the header counts. */
  last: number;
}

/** Undefined if the whole file answers: no readable range, several, or another version (`If-Range`). */
export function parseRange(
  header: string | undefined,
  { sizeBytes, etag, ifRange }: { sizeBytes: number; etag: string; ifRange: string | undefined },
): ByteRange | 'unsatisfiable' | undefined {
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  const [from = '', to = ''] = match?.slice(1) ?? [];
  if (match === null || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const range = {
    first: Number(from),
    last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1),
  };
  if (range.first >= sizeBytes) return 'unsatisfiable';
  return range.first > range.last ? undefined : range;
}

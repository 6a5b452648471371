import type { Timestamp } from '@bufbuild/protobuf/wkt';

/** Cut to the second, as the other interfaces do; empty if there is none. */
export function formatTimestamp(at: Timestamp | undefined): string {
  return at === undefined ? '' : new Date(Number(at.seconds) * 1000).toISOString().replace('.000Z', 'Z');
}

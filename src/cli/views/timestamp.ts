import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';

/** To the second; empty if there is none. */
export function formatTimestamp(at: Timestamp | undefined): string {
  return at === undefined ? '' : new Date(timestampMs(at)).toISOString().replace(/\.\d+Z$/, 'Z');
}

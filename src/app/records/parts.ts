import type { Core } from '../core.ts';
import type { AccessLog } from './access-log.ts';
import type { RecordCache } from './record-cache.ts';
import type { Refusals } from './refusals.ts';

/** Parts that records are shown by. */
export interface RecordParts extends Core {
  readonly records: RecordCache;
  readonly refusals: Refusals;
  readonly accessLog: AccessLog;
}

import type { Engine } from '../../engine/engine.ts';
import type { Core } from '../core.ts';
import type { AccessLog } from './access-log.ts';
import type { RecordCache } from './record-cache.ts';
import type { Refusals } from './refusals.ts';

type EngineRooms = Pick<Engine, 'feed' | 'work' | 'shelf' | 'looks' | 'renditions'>;

export interface RecordParts extends Core, EngineRooms {
  readonly executor: Pick<Engine['executor'], 'executeAgain'>;
  readonly running: Pick<Engine, 'progressOf' | 'findingsOf' | 'waitReason'>;
  readonly records: RecordCache;
  readonly refusals: Refusals;
  readonly accessLog: AccessLog;
}

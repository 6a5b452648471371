import type { Setting } from '../../domain/contract/appliance.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RemoteExecutor } from '../../engine/remote/remote-executor.ts';
import type { RecentLog } from '../../machinery/recent-log.ts';
import type { TlsFiles } from '../../machinery/tls.ts';
import type { TrustLists } from '../../machinery/trust/trust-lists.ts';
import type { Mailer } from '../accounts/mail.ts';
import type { CallerParts } from '../callers/parts.ts';
import type { KeptPictures } from '../records/kept-pictures.ts';
import type { RecordParts } from '../records/parts.ts';
import type { TrustRechecks } from '../trust/trust-rechecks.ts';
import type { Backups } from './backups.ts';
import type { EarlierPictures } from './earlier-pictures.ts';

export interface Listener {
  /** `http` or `grpc`. */
  name: string;
  host: string;
  port: number;
}

export interface DoctorConfig {
  tls: TlsFiles | null;
  diskFreeBytesMin: number;
  /** Execution providers in the order in which they are to be tried. */
  providers: readonly string[];
  decode: { slots: number; memoryBytesMax: number };
  /** The daemon's listeners, which are added once they listen. */
  listeners: Listener[];
}

export interface SupportConfig {
  /** Every setting as text, secrets hidden. */
  settings: readonly Setting[];
  /** Values that a bundle must not contain. */
  secrets: () => string[];
  recentLog: RecentLog;
}

export interface ApplianceParts extends CallerParts, RecordParts {
  readonly engine: Pick<Engine, 'phase' | 'notReadyReason' | 'status'>;
  readonly packChanges: Engine['packChanges'];
  /** Workers on other boxes; null if none may come. */
  readonly remote: Pick<RemoteExecutor, 'workers' | 'broker' | 'recount' | 'forget'> | null;
  readonly trust: TrustLists;
  readonly trustRechecks: TrustRechecks;
  readonly keptPictures: KeptPictures;
  readonly earlierPictures: EarlierPictures;
  readonly backups: Backups;
  readonly doctor: DoctorConfig;
  readonly support: SupportConfig;
  readonly mailer: Mailer;
}

/** Parts that every use case needs. The parts of a noun (`parts.ts` of its room) add that noun's. */
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Metrics } from '../machinery/metrics.ts';
import type { Store } from '../store/store.ts';

export interface AppConfig {
  /** Base of `result_url` and of the addresses printed at start, without a trailing slash. */
  publicUrl: string;
  /** Bytes that must stay free on the data folder's disk; below it new work is refused. */
  diskFreeBytesMin: number;
  termsRequired: boolean;
  /** Other people's pages that search by picture. */
  searchElsewhere: readonly string[];
  /** Whether anybody may make an account, under which plan and with how many credits. */
  registration: { isOpen: boolean; planSku: string; credits: number };
  /** Uploads that are received at once; one more is refused. */
  uploadsMax: number;
  /** How long a broken-off upload can be continued. */
  unfinishedUploadMs: number;
  /** CIDR networks that may be fetched from although they are private. */
  fetchAllowNetworks: string[];
  fetchTimeoutMs: number;
  fetchContact: string | null;
  /** Hosts that manifests may be fetched from. */
  manifestHosts: readonly string[];
  /** CIDR networks that webhooks may be delivered to although they are private. */
  webhookAllowNetworks: string[];
  /** Absolute folders that watched folders must lie in; without any no folder is watched. */
  watchRoots: string[];
  /** Addresses of the authorities that stamp packages (RFC 3161); without any none is stamped. */
  timestampAuthorities: string[];
  /** PEM bundle of roots for their tokens; null: roots are not checked. */
  timestampRootsPem: string | null;
}

export interface Core {
  readonly config: Readonly<AppConfig>;
  readonly store: Store;
  readonly engine: Pick<Engine, 'phase'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

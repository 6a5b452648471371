/** What every use case stands on. The parts of a noun (`parts.ts` of its room) add what that noun needs. */
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
  /** Pages of other people that search by picture. */
  searchElsewhere: readonly string[];
  /** Whether anybody may make an account, under which plan and with how many credits. */
  registration: { isOpen: boolean; planSku: string; credits: number };
  /** Uploads that are received at once; one more is refused. */
  uploadsMax: number;
  /** How long an upload that broke off can be continued. */
  unfinishedUploadMs: number;
  /** CIDR networks that may be fetched from although they are private. */
  fetchAllowNetworks: string[];
  fetchTimeoutMs: number;
  fetchContact: string | null;
  /** That manifests may be fetched from. */
  manifestHosts: readonly string[];
  /** CIDR networks that webhooks may be delivered to although they are private. */
  webhookAllowNetworks: string[];
  /** Absolute folders that watched folders must lie in; none: no folder is watched. */
  watchRoots: string[];
  /** Addresses that are asked to stamp packages (RFC 3161); none: no package is stamped. */
  timestampAuthorities: string[];
  /** PEM bundle that their tokens must lead to; null: roots are not checked. */
  timestampRootsPem: string | null;
}

export interface Core {
  readonly config: Readonly<AppConfig>;
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * What the use cases are made of. Facades receive an App and call the functions of this folder; every one takes
 * `(app, input, signal)`.
 */
import type { Logger } from 'pino';
import type { Engine } from '../engine/engine.ts';
import type { Metrics } from '../machinery/metrics.ts';
import type { Sealer } from '../machinery/sealer.ts';
import type { Tracing } from '../machinery/tracing.ts';
import type { Store } from '../store/store.ts';
import type { AccountFeed } from './accounts/account-feed.ts';
import type { Mailer } from './accounts/mail.ts';
import type { Backups } from './appliance/backups.ts';
import type { DoctorConfig } from './appliance/doctor/finding.ts';
import type { SupportConfig } from './appliance/support-bundle.ts';

/** Faked in tests, by parameter; nothing else is. */
export interface Clock {
  /** Microseconds since 1970 UTC, strictly increasing within a process. */
  now(): number;
}

export interface AppConfig {
  /** Base of `result_url` and of the addresses printed at start, without a trailing slash. */
  publicUrl: string;
  /** Bytes that must stay free on the data folder's disk; below it new work is refused. */
  diskFreeBytesMin: number;
  termsRequired: boolean;
  /** Whether anybody may make an account, under which plan and with how many credits. */
  registration: { isOpen: boolean; planSku: string; credits: number };
  /** Uploads that are received at once; one more is refused. */
  uploadsMax: number;
  /** How long an upload that broke off can be continued. */
  unfinishedUploadMs: number;
  /** CIDR networks that may be fetched from although they are private. */
  fetchAllowNetworks: string[];
  fetchTimeoutMs: number;
  /** CIDR networks that webhooks may be delivered to although they are private. */
  webhookAllowNetworks: string[];
}

export interface App {
  readonly config: AppConfig;
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly backups: Backups;
  readonly doctor: DoctorConfig;
  readonly support: SupportConfig;
  /** Null: no collector is named. */
  readonly tracing: Tracing | null;
  readonly accountFeed: AccountFeed;
  readonly mailer: Mailer;
  readonly sealer: Sealer;
  /** 32 unpredictable bytes as hex: identifiers. */
  readonly newIdentifier: () => string;
}

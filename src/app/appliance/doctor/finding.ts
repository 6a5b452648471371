/** One thing that was looked at, what was seen, and what to do about it. */

import type { TlsFiles } from '../../../machinery/tls.ts';
import type { App } from '../../app.ts';

export const FINDING_STATES = ['good', 'notice', 'bad'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export interface Finding {
  /** What was looked at: `disk`, `models`, … */
  name: string;
  state: FindingState;
  found: string;
  /** What to do; empty where all is good. */
  advice: string;
}

export interface Listener {
  /** `http` or `grpc`. */
  name: string;
  host: string;
  port: number;
}

/** What only the settings know. */
export interface DoctorConfig {
  trustAnchorsPem: string;
  /** Null where none is set. */
  trustAnchorsFile: string | null;
  tls: TlsFiles | null;
  diskFreeBytesMin: number;
  /** Execution providers in the order in which they are to be tried. */
  providers: readonly string[];
  decode: { slots: number; memoryBytesMax: number };
  /** Where the daemon listens; filled once it does. */
  listeners: readonly Listener[];
}

export type Check = (app: App, config: DoctorConfig) => Promise<Finding[]> | Finding[];

export function good(name: string, found: string): Finding {
  return { name, state: 'good', found, advice: '' };
}

export function notice(name: string, found: string, advice: string): Finding {
  return { name, state: 'notice', found, advice };
}

export function bad(name: string, found: string, advice: string): Finding {
  return { name, state: 'bad', found, advice };
}

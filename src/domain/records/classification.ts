/** The record a client gets, and its analysis. Only engine/ moves an analysis between states, by these transitions alone. */
import type { Held } from '../desk.ts';
import { type Choice, text, type ValuesOf, whole } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import type { AnalysisResult } from '../verdicts/result.ts';
import type { AnalysisOptions } from './options.ts';
import type { AddableAnalysis } from './plan-option.ts';
import type { ProgressStep } from './progress-steps.ts';
import type { StepTime } from './step-times.ts';

/** The states of docs/interface.md. */
export const STATUSES = ['new', 'done', 'errored'] as const;
export const STATUS = {
  name: 'Status',
  description: 'NEW while the work waits or runs, then DONE or ERRORED.',
  words: STATUSES,
} as const satisfies Choice;
export type Status = (typeof STATUSES)[number];

export const ANALYSIS_STATES = ['queued', 'running', 'done', 'errored', 'cancelled'] as const;
export type AnalysisState = (typeof ANALYSIS_STATES)[number];

const NEXT: Readonly<Record<AnalysisState, readonly AnalysisState[]>> = {
  queued: ['running', 'cancelled'],
  running: ['queued', 'done', 'errored', 'cancelled'],
  done: [],
  errored: [],
  cancelled: [],
};

/** Throws on a transition that the engine never makes: a programmer error. */
export function assertTransition(from: AnalysisState, to: AnalysisState): void {
  if (!NEXT[from].includes(to)) throw new Error(`illegal analysis transition: ${from} to ${to}`);
}

export const hasEnded = (state: AnalysisState): boolean => NEXT[state].length === 0;

/** Whether work still needs the file: the analysis' own, or an addition. */
export function isAtWork({ state, addition }: Pick<Analysis, 'state' | 'addition'>): boolean {
  return !hasEnded(state) || isAdding({ addition });
}

export function isAdding({ addition }: { addition?: Addition | undefined }): boolean {
  return addition !== undefined && addition.id !== '';
}

/** `analysed`: the account paid for new work; `joined`: it shares its own running work; `cached`: it was answered at once. */
export type Origin = 'analysed' | 'joined' | 'cached';

export const FACADES = ['rest', 'graphql', 'grpc'] as const;
export type FacadeName = (typeof FACADES)[number];
/** Where work comes from: a protocol, the page, or a watched folder. */
export type WayIn = FacadeName | 'dashboard' | 'watch_folder';

/** Who submitted a file: by which protocol, and with which key. */
export interface SubmittedBy {
  via: WayIn;
  /** Null for a session of the page. */
  keyId: number | null;
  /** The key's name at that time; keys are renamed and revoked, the record stays. */
  keyName: string;
}

export interface Classification extends Held {
  identifier: string;
  kind: MediaKind;
  name: string;
  refId: string;
  /** SHA-256 of the file, or an empty string while an address has not been fetched. */
  hash: string;
  mime: string;
  sizeBytes: number;
  /** Where the file was fetched from, or null for an upload. */
  sourceUrl: string | null;
  /** SHA-256 of the manifest that came beside it; absent if none did. */
  manifestHash?: string;
  options: AnalysisOptions;
  analysisId: string;
  origin: Origin;
  /** Separate from the analysis' state: cancelling one of several sharers ends only its own record. */
  cancelled: boolean;
  credits: number;
  webhookUrl: string | null;
  /** Absent in records of versions that did not record it. */
  submittedBy?: SubmittedBy;
  /** The caller's address; absent in records of versions that did not record it. */
  remoteAddress?: string;
  requestId: string | null;
  createdAt: number;
}

/** `interactive`: somebody waits for it; `batch`: it yields to what somebody waits for. */
export const PRIORITIES = ['interactive', 'batch'] as const;
export const PRIORITY = {
  name: 'Priority',
  description:
    'BATCH yields to INTERACTIVE, which somebody waits for; where that never ends, it gets one turn in eight.',
  words: PRIORITIES,
} as const satisfies Choice;
export type Priority = (typeof PRIORITIES)[number];

/** A worker's claim on an analysis; a lease that is found at start has a dead holder. */
export interface Lease {
  slot: number;
  startedAt: number;
  /** The kernel's identifier of the boot; absent if stored by a version that did not record it. */
  bootId?: string;
}

/** The daemon was killed while it analysed this file alone, which may be the file's fault. */
export interface Suspicion {
  /** Deaths within one boot; a power cut is no file's fault. */
  bootId: string;
  deaths: number;
  /** Another analysis has since ended well alone, so the box works. */
  isWitnessed: boolean;
}

/** Later work on a finished file, for analyses that were not asked for at first. */
export interface AddsTo {
  /** The analysis whose result it adds to. */
  analysisId: string;
  /** The record that asked for it and paid. */
  identifier: string;
  credits: number;
}

/** The addition to a result; a failed one stays until it is asked for again. */
export interface Addition {
  /** Its analysis; empty once that has failed. */
  id: string;
  asked: readonly AddableAnalysis[];
  /** The reason for a person; empty while it is made. */
  error: string;
}

/** The work on one blob under one set of options and models; its account's turns in the queue count. */
export interface Analysis extends Held {
  id: string;
  /** `holder/kind/hash/options/models`, and the manifest beside it: equal keys are equal work. An address not fetched yet has its own key. */
  key: string;
  kind: MediaKind;
  hash: string;
  sourceUrl: string | null;
  /** SHA-256 of the manifest that came beside the file; absent if none did. */
  manifestHash?: string;
  options: AnalysisOptions;
  /** Pack keys, sorted. */
  models: string[];
  /** Absent in rows of versions without priorities: interactive. */
  priority?: Priority;
  state: AnalysisState;
  /** Attempts that were started, except those that the daemon's own death ended. */
  attempts: number;
  lease: Lease | null;
  suspicion?: Suspicion;
  /** The reason for a person, once errored. */
  error: string;
  /** Present in work that adds to another analysis' result; it is gone when it has ended. */
  addsTo?: AddsTo;
  /** Present while something is added to the result, and after that has failed. */
  addition?: Addition;
  /** Set when its attempts were used up by dying workers: the same work is not begun again unless somebody insists. */
  isQuarantined?: true;
  queuedAt: number;
  endedAt: number | null;
  apiVersion: string;
  result: AnalysisResult | null;
  /** Times of the attempt that ended it; absent without a result, and in rows of versions without them. */
  stepTimes?: readonly StepTime[];
  /** SHA-256 of the files of the models that ran, by pack key; absent without a result, and in older ones. */
  modelDigests?: Readonly<Record<string, string>>;
  /** The rules when the result was measured; absent without a result, and in rows of versions without numbers. */
  rulesVersion?: number;
}

/** Progress of a running analysis; kept in memory only, nothing depends on it after a restart. */
export const PROGRESS = { step: text<ProgressStep>(), done: whole(), total: whole() };
export interface Progress extends ValuesOf<typeof PROGRESS> {}

/** The running addition to a record, or why the last one failed. */
export interface AddedAnalyses {
  analyses: readonly AddableAnalysis[];
  /** Null once it has failed. */
  progress: Progress | null;
  /** Empty while it is made. */
  error: string;
}

/** A person's finding: the correct value of a file, for every record of the account, or of the desk, with the hash. */
export interface Override extends Held {
  kind: MediaKind;
  hash: string;
  classification: 'human' | 'artificial';
  reason: string;
  at: number;
  /** The account that stated it: the owner, its partner or an administrator. */
  byAccountId: number;
  /** The measured answer at that time: `human`, `artificial`, or null. */
  measured: 'human' | 'artificial' | null;
}

export function statusOf(
  { cancelled }: Pick<Classification, 'cancelled'>,
  { state }: Pick<Analysis, 'state'>,
): Status {
  if (cancelled) return 'errored';
  switch (state) {
    case 'done':
      return 'done';
    case 'errored':
    case 'cancelled':
      return 'errored';
    default:
      return 'new';
  }
}

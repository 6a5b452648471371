/** What new work of the queue begins with, and how much of it may wait. */
import { AppError } from '../../domain/errors.ts';
import type { Analysis } from '../../domain/records/classification.ts';

export interface QueueParts {
  id: string;
  now: number;
  /** Analyses that wait, and how many may. */
  depth: number;
  queueMax: number;
}

/** What no attempt has touched yet. */
export const UNSTARTED = {
  state: 'queued',
  attempts: 0,
  lease: null,
  error: '',
  endedAt: null,
  apiVersion: '',
  result: null,
} as const satisfies Partial<Analysis>;

/** A full queue empties at the pace of the machine; a client that asks sooner only costs both. */
const QUEUE_FULL_RETRY_SECONDS = 10;

/** Throws `queue_full`. */
export function assertRoom({ depth, queueMax }: Pick<QueueParts, 'depth' | 'queueMax'>): void {
  if (depth < queueMax) return;
  throw new AppError('queue_full', 'the queue is full', { retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS });
}

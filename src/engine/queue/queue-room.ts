import { AppError } from '../../domain/errors.ts';
import type { Analysis } from '../../domain/records/classification.ts';

export interface QueueParts {
  id: string;
  now: number;
  depth: number;
  queueMax: number;
}

export const UNSTARTED = {
  state: 'queued',
  attempts: 0,
  lease: null,
  error: '',
  endedAt: null,
  apiVersion: '',
  result: null,
} as const satisfies Partial<Analysis>;

/** A full queue empties at the pace of the machine; asking sooner only costs both sides. */
const QUEUE_FULL_RETRY_SECONDS = 10;

/** Throws `queue_full`. */
export function assertRoom({ depth, queueMax }: Pick<QueueParts, 'depth' | 'queueMax'>): void {
  if (depth < queueMax) return;
  throw new AppError('queue_full', 'the queue is full', { retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS });
}

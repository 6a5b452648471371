/** The meaning of a failed attempt: whose fault it was, whether another try can help, and the sentence for a person. */
import { AppError, type Reason, toAppError } from '../../domain/errors.ts';
import { ChangedOriginalError } from '../../store/blob-checks.ts';
import {
  ExecutorLostError,
  MediaFaultError,
  SlotBusyError,
  type WorkerLoss,
  WorkerLostError,
} from './worker-errors.ts';

export type Failure =
  /** The file's or the address' fault: another try would end the same way. */
  | { type: 'final'; sentence: string }
  /** Costs an attempt. */
  | { type: 'retry'; sentence: string }
  /** The box cannot work at present; the file has no part in it. */
  | { type: 'wait' };

const WAIT_REASONS: readonly Reason[] = ['disk_full', 'draining', 'starting', 'probe_busy', 'exhausted'];

/** How an attempt's error is handled. `isOverdue` if the attempt's own deadline passed. */
export function failureOf(
  error: unknown,
  { isOverdue, timeoutMs }: { isOverdue: boolean; timeoutMs: number },
): Failure {
  if (isOverdue) {
    return { type: 'retry', sentence: `the analysis took longer than ${timeoutMs / 1000} seconds` };
  }
  if (error instanceof MediaFaultError) return { type: 'final', sentence: error.message };
  if (error instanceof SlotBusyError || error instanceof ExecutorLostError) return { type: 'wait' };
  if (error instanceof WorkerLostError) {
    if (error.loss === 'exhausted') return { type: 'wait' };
    return { type: 'retry', sentence: 'a worker process ended while it analysed the file' };
  }
  const known = toAppError(error);
  if (error instanceof AppError || WAIT_REASONS.includes(known.reason)) return failureOfAppError(known);
  return { type: 'retry', sentence: 'the analysis failed inside the appliance; its log says why' };
}

function failureOfAppError(error: AppError): Failure {
  if (WAIT_REASONS.includes(error.reason)) return { type: 'wait' };
  const isGone = error.reason === 'media' || error instanceof ChangedOriginalError;
  const isFinal = isGone || error.code === 'invalid_argument' || error.code === 'permission_denied';
  return { type: isFinal ? 'final' : 'retry', sentence: error.message };
}

export function giveUpSentence(attempts: number, sentence: string): string {
  return `given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${sentence}`;
}

/** Time for new children to start. */
const HUNG_RETRY_SECONDS = 2;

/** A file that no decoder reads in time: its own fault, since both decoders worked until their deadlines. */
export class FileTooSlowError extends AppError {
  constructor(timeoutMs: number, cause: unknown) {
    const sentence = `two decoders took longer than ${timeoutMs / 1000} s each to look at the file`;
    super('corrupt', `${sentence}; it is not looked at again`, { cause });
  }
}

/** The error for a caller that waits for a probe; `losses`: of the decoders that looked at it. */
export function toProbeError(
  error: unknown,
  losses: readonly WorkerLoss[],
  { timeoutMs }: { timeoutMs: number },
): unknown {
  if (error instanceof MediaFaultError) return new AppError(error.fault, error.message, { cause: error });
  if (error instanceof SlotBusyError) {
    return new AppError('probe_busy', 'too many files are being checked', {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
  if (error instanceof WorkerLostError) {
    if (error.loss === 'stopped')
      return new AppError('draining', 'the appliance is stopping', { cause: error });
    if (error.loss === 'exhausted') return toAppError(error.cause);
    if (losses.every((loss) => loss === 'deadline')) return new FileTooSlowError(timeoutMs, error);
    if (losses.some((loss) => loss === 'deadline' || loss === 'frozen')) {
      const sentence = 'the file was not looked at in time by two decoders; try again';
      return new AppError('probe_busy', sentence, { retryAfterSeconds: HUNG_RETRY_SECONDS, cause: error });
    }
    return new AppError('corrupt', 'the file cannot be read: the decoder ended over it', { cause: error });
  }
  return error;
}

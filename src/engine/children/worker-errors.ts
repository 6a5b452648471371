import { OperatorFault } from '../../domain/operator-fault.ts';
import type { MediaFault } from '../../worker/protocol/decode-protocol.ts';

/** The file's own fault: final, shown to the one who sent it. */
export class MediaFaultError extends Error {
  override readonly name = 'MediaFaultError';
  readonly fault: MediaFault;

  constructor(fault: MediaFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** `ended`: by itself or the kernel; `deadline`: by us; `broken`: own fault; `exhausted`: no start; `frozen`: stopped. */
export type WorkerLoss = 'ended' | 'deadline' | 'broken' | 'stopped' | 'exhausted' | 'frozen';

/** The child is gone, and with it this attempt; the same work may succeed in a fresh one. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
  readonly loss: WorkerLoss;

  constructor(loss: WorkerLoss, message: string, cause?: unknown) {
    super(message, { cause });
    this.loss = loss;
  }
}

/** A whole worker on another box is gone, or gave the work back: no fault of the file. */
export class ExecutorLostError extends Error {
  override readonly name = 'ExecutorLostError';
}

/** The inference process lives but cannot answer: the model is out of service, or it failed on these patches. */
export class ModelFailedError extends Error {
  override readonly name = 'ModelFailedError';
}

/** No slot came free in time; the caller may be asked to try again. */
export class SlotBusyError extends Error {
  override readonly name = 'SlotBusyError';
}

/** Named as Node names it, so that `toAppError` knows it. */
export class AbortError extends Error {
  override readonly name = 'AbortError';

  constructor(signal: AbortSignal) {
    super('the work was called off', { cause: signal.reason });
  }
}

/** Refuses to start: the operator asked for isolation that this machine does not give. */
export class IsolationMissingError extends OperatorFault {
  override readonly name = 'IsolationMissingError';
}

/** Why a start ends: what the operator can put right is a sentence, everything else is a fault of the program with its stack. */

/** Settings, files or the machine are at fault; the message says which, and what to do. */
export class OperatorFault extends Error {
  override readonly name: string = 'OperatorFault';
}

/** For standard error: a sentence, or the stack of an unexpected error. */
export function describeStartFailure(error: unknown): string {
  if (error instanceof OperatorFault) return error.message;
  if (!(error instanceof Error)) return String(error);
  // A port that is taken, a file that may not be read: the system's own sentence names it.
  if ('code' in error && 'syscall' in error) return error.message;
  return error.stack ?? String(error);
}

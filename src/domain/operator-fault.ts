/** Ends a start: a fault that the operator can repair is a sentence, any other is the program's own, with its stack. */

/** Settings, files or the machine are at fault; the message says which, and what to do. */
export class OperatorFault extends Error {
  override readonly name: string = 'OperatorFault';
}

/** For standard error: a sentence, or the stack of an unexpected error. */
export function describeStartFailure(error: unknown): string {
  if (error instanceof OperatorFault) return error.message;
  if (!(error instanceof Error)) return String(error);
  // The system's own sentence names a taken port or an unreadable file.
  if ('code' in error && 'syscall' in error) return error.message;
  return error.stack ?? String(error);
}

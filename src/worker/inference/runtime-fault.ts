/** Shortens the runtime's errors for status, the log and `assay doctor`. */

const LENGTH_MAX = 300;
/** NVIDIA's libraries put a long C++ signature before the failure, and the host's name and source files after it: only the failure is kept. */
const LIBRARY_FAILURE = /\b(?:CUDA|CUBLAS|CUDNN|CUFFT|CURAND)\d* failure -?\d+: [^;]*[^;\s]/i;

export function describeRuntimeFault(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  return (LIBRARY_FAILURE.exec(message)?.[0] ?? message).slice(0, LENGTH_MAX);
}

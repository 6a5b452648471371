/** What the runtime says of a model that it does not open or run, as status, the log and `assay doctor` show it. */

const LENGTH_MAX = 300;
/** What failed in NVIDIA's libraries stands behind a signature of hundreds of characters, before the host's name and places in sources. */
const LIBRARY_FAILURE = /\b(?:CUDA|CUBLAS|CUDNN|CUFFT|CURAND)\d* failure -?\d+: [^;]*[^;\s]/i;

export function describeRuntimeFault(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  return (LIBRARY_FAILURE.exec(message)?.[0] ?? message).slice(0, LENGTH_MAX);
}

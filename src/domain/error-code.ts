/** Errors are identified by their `code`, as ENOENT; texts differ by version and hold paths. */

/** The error's code, or its text if it has none. */
export function codeOf(error: unknown, otherwise: string = String(error)): string {
  return error instanceof Error && 'code' in error ? String(error.code) : otherwise;
}

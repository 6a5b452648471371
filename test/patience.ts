/**
 * How long a test waits for what must come: as long as a busy box may take, and less than the runner's own bound, so that
 * the failure names what did not come.
 */
export const PATIENCE_MS = 240_000;

/** How long a test waits for what must come: less than the runner's bound, so that the failure names what did not come. */
export const PATIENCE_MS = 240_000;

/** How long models may take over a question on a busy box. */
export const PATIENT = { timeoutMs: PATIENCE_MS };

/** A pack as status shows it, used or not. */
export interface PackStatus {
  id: string;
  version: string;
  task: string;
  /** Execution provider; null while it loads or if it is unused. */
  provider: string | null;
  /** Why it is not used; null if it is. */
  fault: string | null;
}

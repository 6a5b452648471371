/** A pack as status shows it, used or not. */
export interface PackStatus {
  id: string;
  version: string;
  task: string;
  /** Execution provider, or null while it loads or if it is not used. */
  provider: string | null;
  /** Why it is not used; null if it is. */
  fault: string | null;
}

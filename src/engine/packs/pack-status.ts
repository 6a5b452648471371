/** A pack as status shows it, used or not. */
export interface PackStatus {
  id: string;
  version: string;
  task: string;
  /** Execution provider, or null while it loads or where it is not used. */
  provider: string | null;
  /** Why it is not used; null where it is. */
  fault: string | null;
}

import type { Analysis } from '../../domain/records/classification.ts';

/** A committed change that somebody may watch. */
export type StoreChange =
  | { type: 'balance'; accountId: number }
  | { type: 'delivery'; accountId: number; id: string }
  /** An account, or one of its keys or sessions, changed: callers admitted by them must be judged anew. */
  | { type: 'standing'; accountId: number }
  | { type: 'ended'; analysis: Analysis }
  | { type: 'pending-notice' }
  | { type: 'timestamps' }
  /** A picture was removed: nothing of it may stay in memory. */
  | { type: 'likeness'; accountId: number; sequence: number };

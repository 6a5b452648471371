/** What a committed transaction changed that somebody may watch. */
export type StoreChange =
  | { type: 'balance'; accountId: number }
  | { type: 'delivery'; accountId: number; id: string }
  /** An account, or a key or session of it: who was admitted by them may not be any more. */
  | { type: 'standing'; accountId: number }
  | { type: 'pending-notice' }
  | { type: 'timestamps' }
  /** Was removed: nothing of it may stay in memory. */
  | { type: 'likeness'; accountId: number; sequence: number };

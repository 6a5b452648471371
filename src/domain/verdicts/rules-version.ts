/**
 * The rules by which stored figures are read: heuristics, assessment, pooling of frames, texts. Raised by one with every
 * change after which the same figures read differently, since nothing that is derived is stored.
 */
export const RULES_VERSION = 11;

/** The version of results that were stored before rules had a number. */
const RULES_VERSION_FIRST = 1;

export interface AppliedRules {
  /** In force when the result was measured. */
  made: number;
  /** By which it is read now. */
  read: number;
}

export function rulesOf({ rulesVersion }: { rulesVersion?: number }): AppliedRules {
  return { made: rulesVersion ?? RULES_VERSION_FIRST, read: RULES_VERSION };
}

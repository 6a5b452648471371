/** Rules by which stored figures are read. Raised with every change after which the same figures read differently. */
export const RULES_VERSION = 11;

/** The version of results that were stored before rules had a number. */
const RULES_VERSION_FIRST = 1;

export interface AppliedRules {
  /** The rules in force when the result was measured. */
  made: number;
  /** The present rules. */
  read: number;
}

export function rulesOf({ rulesVersion }: { rulesVersion?: number }): AppliedRules {
  return { made: rulesVersion ?? RULES_VERSION_FIRST, read: RULES_VERSION };
}

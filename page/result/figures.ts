/** Error rates as a model's card has them: the schema says only that they are JSON. */
export interface Figures {
  tier: string;
  auc: number;
  balancedAccuracy: number;
  falseAlarmRateBalanced: number;
}

export function figuresOf({ figures }: { figures: unknown }): readonly Figures[] {
  return (figures ?? []) as Figures[];
}

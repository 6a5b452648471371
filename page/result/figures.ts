/** Error rates as a model's card has them: the schema says only that they are JSON. */
export interface Figures {
  tier: string;
  auc: number;
  balancedAccuracy: number;
  falseAlarmRateBalanced: number;
  kinds?: readonly KindRate[];
}

/** How often whole pictures of one kind, or of one family of generators, are called artificial. */
export interface KindRate {
  label: 'human' | 'artificial';
  kind: string;
  images: number;
  called: number;
  calledLow: number;
  calledHigh: number;
}

export function figuresOf({ figures }: { figures: unknown }): readonly Figures[] {
  return (figures ?? []) as Figures[];
}

/** Why waiting work is not begun. Nothing fails for it. */
export interface WaitReason {
  /** `kept-here`: the plan keeps the media on a box without slots; `not-ready`: the models are not loaded. */
  step: 'no-broker' | 'no-worker' | 'kept-here' | 'not-ready';
  /** For an operator, in English. */
  sentence: string;
}

/** Why no place begins work that waits. Nothing fails for it: the work waits until that has passed. */
export interface WaitReason {
  /**
   * `no-broker`: the broker of workers is not reached; `no-worker`: none takes work; `kept-here`: the plan keeps the media
   * on a box that has no places; `not-ready`: the models are not there.
   */
  step: 'no-broker' | 'no-worker' | 'kept-here' | 'not-ready';
  /** For an operator, in English. */
  sentence: string;
}

/** Progress and findings of a video's analysis: judged frames, then the steps that follow. */

import type { ProgressStep } from '../../domain/records/progress-steps.ts';
import type { FrameResult } from '../../domain/verdicts/result.ts';
import { type Findings, NO_FINDINGS } from '../../domain/verdicts/tentative.ts';
import type { DecodeProgress } from '../decode/decode-slot.ts';
import type { Attempt } from './analysis-parts.ts';
import type { SpeechFindings } from './sound-work.ts';

export class VideoProgress {
  readonly #attempt: Attempt;
  /** Steps that follow for each frame, and for the track. */
  readonly #perFrame: number;
  readonly #trackSteps: number;
  #frames: number;
  #judged = 0;
  #followed = 0;
  #findings: Findings = NO_FINDINGS;

  constructor(attempt: Attempt, { perFrame }: { perFrame: number }) {
    const { frames, withAudio } = attempt.analysis.options;
    this.#attempt = attempt;
    this.#perFrame = perFrame;
    this.#trackSteps = withAudio ? 1 : 0;
    this.#frames = frames;
  }

  /** The child's own units do not count, but it knows how many frames there are. */
  decoding({ step, total }: Pick<DecodeProgress, 'step' | 'total'>): void {
    if (step === 'frames') this.#frames = Math.max(1, Math.min(total, this.#attempt.analysis.options.frames));
    this.#report(step);
  }

  judged({ timeSeconds, image }: FrameResult): void {
    this.#judged += 1;
    const frames = [...this.#findings.frames, { timeSeconds, runs: image.runs }];
    this.#found('frames', { ...this.#findings, frames });
  }

  speech(found: SpeechFindings): void {
    this.#found('speech', { ...this.#findings, ...found });
  }

  advance(step: ProgressStep): void {
    this.#followed += 1;
    this.#report(step);
  }

  #found(step: ProgressStep, findings: Findings): void {
    this.#findings = findings;
    this.#attempt.found(findings);
    this.#report(step);
  }

  #report(step: ProgressStep): void {
    const total = this.#frames * (1 + this.#perFrame) + this.#trackSteps;
    this.#attempt.report({ step, done: Math.min(total, this.#judged + this.#followed), total });
  }
}

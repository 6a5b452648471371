/** What a submission costs under a plan: its kind, and each option it switches on. */
import { rowsOf } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import { ANALYSIS_OPTIONS } from '../records/analysis-options.ts';
import type { AnalysisOptions } from '../records/options.ts';
import { PRICED_OPTIONS, type PricedOption } from '../records/plan-option.ts';
import type { Plan } from './plan.ts';

const OPTIONS = rowsOf(ANALYSIS_OPTIONS);

export interface PricedSubmission {
  kind: MediaKind;
  /** Options that the plan enables. */
  options: AnalysisOptions;
  webhookUrl: string | null;
}

export function priceOf(plan: Plan, { kind, options, webhookUrl }: PricedSubmission): number {
  const asked = OPTIONS.filter(([name]) => options[name] === true).map(([, { planOption }]) => planOption);
  const isOn = (option: PricedOption): boolean =>
    option === 'webhook' ? webhookUrl !== null : asked.includes(option);
  const extras = PRICED_OPTIONS.filter(isOn);
  return extras.reduce((sum, option) => sum + (plan.optionCredits[option] ?? 0), plan.credits[kind]);
}

/** Options that the plan does not enable are ignored (docs/interface.md, Authentication). */
export function enabledOptions(plan: Plan, options: AnalysisOptions): AnalysisOptions {
  const withheld = OPTIONS.filter(([, { planOption }]) => planOption && !plan.options.includes(planOption));
  const enabled = {
    ...options,
    ...Object.fromEntries(withheld.map(([name, { initial }]) => [name, initial])),
  };
  // Without the track there is nothing to transcribe; a recording is one itself.
  const isHeard = enabled.withAudio || !options.withAudio;
  const withTranscript = enabled.withTranscript && isHeard;
  return { ...enabled, withTranscript, transcriptLanguage: withTranscript ? options.transcriptLanguage : '' };
}

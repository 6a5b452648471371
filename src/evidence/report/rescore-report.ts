/** The report of a re-score: what would change if the present models analysed old records, and why. */
import { showText } from '../../domain/shown-text.ts';
import { RULES_VERSION } from '../../domain/verdicts/rules-version.ts';
import { VERSION } from '../../domain/version.ts';
import { type Block, bounded } from './blocks.ts';
import type { ReportLanguage } from './language.ts';
import type { Report } from './report.ts';
import { type Speaker, speakerOf } from './texts.ts';

export interface Judgement {
  classification: string;
  /** Probability of an artificial origin, 0..1; null without an answer. */
  probability: number | null;
  state: string;
}

export interface RescoredLine {
  identifier: string;
  name: string;
  before: Judgement;
  /** Null if it could not be analysed again; `error` says why. */
  after: Judgement | null;
  error: string;
  /** Whether the main verdict or the assessment's state differs. */
  changes: boolean;
  /** `id@version` of the models then and now, and the rules of the measurement: the causes of a difference. */
  modelsBefore: readonly string[];
  modelsAfter: readonly string[];
  rulesBefore: number;
}

export interface RescoreOrder {
  language: ReportLanguage;
  lines: readonly RescoredLine[];
  /** Microseconds since 1970 UTC. */
  createdAt: number;
  packedBy: string;
  box: string;
  fingerprint: string;
}

/** Bound per list; all records are in rescore.json. */
const LINES_SHOWN_MAX = 500;

export function toRescoreReport(order: RescoreOrder): Report {
  const { language, lines, fingerprint } = order;
  const speaker = speakerOf(language);
  const changed = lines.filter(({ changes }) => changes);
  const failed = lines.filter(({ after }) => after === null);
  const title = speaker.text('rescore');
  const counts = { records: lines.length, changes: changed.length, failed: failed.length };
  const blocks: Block[] = [
    { type: 'title', text: title },
    { type: 'paragraph', text: speaker.text('rescoreLead', { box: order.box }) },
    { type: 'finding', text: speaker.text('rescoreCounts', counts) },
    {
      type: 'facts',
      rows: [
        { name: speaker.text('made'), value: speaker.time(order.createdAt) },
        { name: speaker.text('packedBy'), value: showText(order.packedBy) },
        {
          name: speaker.text('program'),
          value: speaker.text('programVersion', { version: VERSION, rules: RULES_VERSION }),
        },
        { name: speaker.text('signedWith'), value: fingerprint, isCode: true },
      ],
    },
    ...tableOf(speaker, speaker.text('rescoreChanges'), changed),
    ...tableOf(speaker, speaker.text('rescoreFailed'), failed),
    { type: 'heading', level: 1, text: speaker.text('howToCheck') },
    { type: 'paragraph', text: speaker.text('howToCheckLead') },
    { type: 'facts', rows: [{ name: 'Ed25519', value: fingerprint, isCode: true }] },
  ];
  return { title, language, blocks, footer: `${fingerprint} · ${speaker.text('page')}` };
}

function tableOf(speaker: Speaker, title: string, lines: readonly RescoredLine[]): Block[] {
  if (lines.length === 0) return [];
  const rows = lines.slice(0, LINES_SHOWN_MAX).map((line) => {
    const { identifier, name, before, after, error } = line;
    return [
      bounded(`${showText(name)}\n${identifier.slice(0, 12)}`),
      describe(speaker, before),
      after === null ? bounded(showText(error)) : describe(speaker, after),
      after === null ? '' : reasonOf(speaker, line),
    ];
  });
  const head = [
    ...[speaker.text('file'), speaker.text('rescoreBefore')],
    ...[speaker.text('rescoreAfter'), speaker.text('rescoreWhy')],
  ];
  return [
    { type: 'heading', level: 1, text: title },
    { type: 'table', head, rows, widths: ['*', 'auto', 'auto', '*'] },
  ];
}

function describe(speaker: Speaker, { state, probability }: Judgement): string {
  const shown = speaker.find(`outcome_${state}`) ?? state;
  return probability === null ? shown : `${shown}, ${speaker.percent(probability, 1)}`;
}

export function reasonOf(speaker: Speaker, line: RescoredLine): string {
  const { modelsBefore, modelsAfter, rulesBefore } = line;
  const gone = modelsBefore.filter((model) => !modelsAfter.includes(model));
  const come = modelsAfter.filter((model) => !modelsBefore.includes(model));
  const reasons: string[] = [];
  if (gone.length + come.length > 0) {
    const list = (models: readonly string[]) => models.join(', ') || '–';
    reasons.push(speaker.text('rescoreModels', { gone: list(gone), come: list(come) }));
  }
  if (rulesBefore !== RULES_VERSION) {
    reasons.push(speaker.text('rescoreRules', { before: rulesBefore, after: RULES_VERSION }));
  }
  return reasons.length === 0 ? speaker.text('rescoreSame') : reasons.join(' ');
}

/** Prints page/gen/analyses.ts: the analyses that a submission may ask for, with the page's words, from their rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowsOf } from '../src/domain/field.ts';
import { VIEW_AXES } from '../src/domain/packs/view-axes.ts';
import { ANALYSIS_OPTIONS } from '../src/domain/records/analysis-options.ts';

export const ANALYSES_PATH = join(import.meta.dirname, '..', 'page', 'gen', 'analyses.ts');

export function printAnalyses(): string {
  const analyses: unknown[] = [];
  const texts: [key: string, en: string, it: string][] = [];
  for (const [option, { planOption, kinds, tasks = [], texts: words }] of rowsOf(ANALYSIS_OPTIONS)) {
    if (planOption === undefined || words === undefined) continue;
    const choice = option.replace(/^with/, 'option');
    analyses.push([planOption, option, choice, kinds.map((kind) => kind.toUpperCase())]);
    texts.push(
      [choice, ...words.choice],
      [`planOption_${planOption}`, ...words.listed],
      [`analysis_${planOption}`, ...words.added],
    );
    const [task, ...others] = tasks;
    if (task !== undefined && others.length === 0) texts.push([`task_${task}`, ...words.choice]);
  }
  for (const [name, { step }] of rowsOf(VIEW_AXES)) texts.push([`step_${name}`, ...step]);
  const inLanguage = (at: 1 | 2) =>
    JSON.stringify(Object.fromEntries(texts.map((text) => [text[0], text[at]])));
  return [
    '// Printed by schema/print-analyses.ts from src/domain/records/analysis-options.ts.\n',
    '/** As plans call it, its option, the text of its choice, and its kinds of media. */',
    `export const ANALYSES = ${JSON.stringify(analyses)} as const;\n`,
    `export const ANALYSES_EN = ${inLanguage(1)} as const;`,
    `export const ANALYSES_IT = ${inLanguage(2)} as const;`,
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(ANALYSES_PATH, printAnalyses());

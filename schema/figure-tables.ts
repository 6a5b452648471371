/** Prints what the packs that come with Assay measured, from their `model.json`, for README.md and the cards. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSet, type FigureRow, figuresOf, foundOf } from '../src/domain/packs/measured-figures.ts';
import { modelPackSchema } from '../src/domain/packs/model-pack.ts';

const MODELS = join(import.meta.dirname, '..', 'models');
/** Packs that were measured on outside media. */
export const MEASURED_PACKS = ['assay-transformer', 'assay-speech-encoder'] as const;
const TIERS: Readonly<Record<string, string>> = {
  clean: 'as found',
  web: 'web (768 px, JPEG 60)',
  hard: 'hard (512 px, JPEG 40)',
  'mp3-64': 'MP3, 64 kb/s',
};

/** Prints the figures of a card: every set, and whose pictures are accused. */
export function printFigures(ids: readonly string[]): string[] {
  return [...printSets(ids), ...printKinds(figureRows(ids))];
}

function figureRows(ids: readonly string[]): FigureRow[] {
  return ids.flatMap((id) =>
    figuresOf(modelPackSchema.parse(JSON.parse(readFileSync(join(MODELS, id, 'model.json'), 'utf8')))),
  );
}

/** The sets of media that were measured, a row for each quality. */
export function printSets(ids: readonly string[] = MEASURED_PACKS): string[] {
  const rows = figureRows(ids);
  return [
    '| measured on | quality | AUC (0.5 is a coin) | `balanced` (default): accused / found | `cautious`: accused (up to, 95 %) / found | decided / right where decided |',
    '|---|---|---|---|---|---|',
    ...rows.flatMap((row, at) => {
      if (row.outside === undefined) return [];
      // A set is described in its first row.
      return [printRow(row, rows[at - 1]?.outside === row.outside ? '' : describeSet(row.outside))];
    }),
  ];
}

function printRow(row: FigureRow, set: string): string {
  const { tier, auc, falseAlarmRateBalanced, falseAlarmRateCautious, falseAlarmRateCautiousHigh } = row;
  const upTo = falseAlarmRateCautiousHigh === undefined ? '' : ` (${percent(falseAlarmRateCautiousHigh)})`;
  const cells = [
    set,
    TIERS[tier] ?? tier,
    auc === undefined ? '–' : auc.toFixed(2),
    `${percent(falseAlarmRateBalanced)} / ${percent(foundOf(row))}`,
    `${percent(falseAlarmRateCautious)}${upTo} / ${percent(row.recallCautious)}`,
    `${percent(row.decided)} / ${percent(row.rightDecided)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function percent(share: number | undefined): string {
  return share === undefined ? '–' : `${Math.round(100 * share)} %`;
}

/** How many of a hundred people's pictures are accused, by kind and quality. */
function printKinds(rows: readonly FigureRow[]): string[] {
  const measured = rows.filter(({ kinds }) => kinds !== undefined);
  const human = measured[0]?.kinds?.filter(({ label }) => label === 'human') ?? [];
  if (human.length === 0) return [];
  const called = ({ kinds = [] }: FigureRow, name: string): string => {
    const found = kinds.find(({ label, kind }) => label === 'human' && kind === name);
    return found === undefined ? '–' : String(Math.round(100 * found.called));
  };
  return [
    '',
    `| accused by \`balanced\`, of 100 pictures by people (owners left out or outside) | ${measured.map(({ tier }) => TIERS[tier] ?? tier).join(' | ')} |`,
    `|---|${measured.map(() => '---|').join('')}`,
    ...human.map(({ kind, sources, version }) => {
      const name = [kind, `${sources} sources`, ...(version === undefined ? [] : [version])].join(', ');
      return `| ${name} | ${measured.map((row) => called(row, kind)).join(' | ')} |`;
    }),
  ];
}

/** How often a model errs, in a sentence: by what was measured outside, where it was. */
import type { MediaKind } from '../../src/domain/media/media.ts';
import { describeSet, type FigureRow, headlineOf } from '../../src/domain/packs/measured-figures.ts';
import { t } from '../texts/language.ts';

/** The schema says only that they are JSON. */
export function figuresOf(model: { figures: unknown } | undefined): readonly FigureRow[] {
  return (model?.figures ?? []) as readonly FigureRow[];
}

/** Of the first of these kinds that was measured; null where none was. */
export function statedErrors(figures: readonly FigureRow[], kinds: readonly MediaKind[]): string | null {
  const headlines = kinds.flatMap((kind) => headlineOf(figures, kind) ?? []);
  const stated = headlines.find(({ outside }) => outside !== undefined) ?? headlines[0];
  if (stated === undefined) return null;
  const { outside, falseAlarms, found } = stated;
  return t('errorRates', {
    set: outside === undefined ? t('insideSet') : describeSet(outside),
    falseAlarms,
    found,
  });
}

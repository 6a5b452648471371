/** How often a model errs, in a sentence: by what was measured outside, where it was. */
import type { MediaKind } from '../../src/domain/media/media.ts';
import { describeSet, errorRatesOf, type FigureRow } from '../../src/domain/packs/measured-figures.ts';
import { t } from '../texts/language.ts';

/** The schema gives them as JSON without a shape. */
export function figuresOf(model: { figures: unknown } | undefined): readonly FigureRow[] {
  return (model?.figures ?? []) as readonly FigureRow[];
}

/** The error rates of the first of these kinds that was measured; null if none was. */
export function statedErrors(figures: readonly FigureRow[], kinds: readonly MediaKind[]): string | null {
  const measured = kinds.flatMap((kind) => errorRatesOf(figures, kind) ?? []);
  const stated = measured.find(({ outside }) => outside !== undefined) ?? measured[0];
  if (stated === undefined) return null;
  const { outside, falseAlarms, found } = stated;
  return t('errorRates', {
    set: outside === undefined ? t('insideSet') : describeSet(outside),
    falseAlarms,
    found,
  });
}

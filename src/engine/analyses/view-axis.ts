/** Judges a picture on an axis of views, by the highest probability of its packs. */
import { isLabelsPack, type LabelsPack } from '../../domain/packs/model-pack.ts';
import { VIEW_AXES, type ViewAxis } from '../../domain/packs/view-axes.ts';
import { inferViews, type OpenAxis, packsOf, toViewSet } from './axis.ts';

export function viewAxis(name: ViewAxis): OpenAxis {
  return (usable) => {
    const packs = packsOf(usable, isLabelsPack).filter(({ task }) => task === name);
    if (packs.length === 0) return null;
    return {
      step: name,
      time: VIEW_AXES[name].time,
      asksChild: false,
      viewSets: packs.map(toViewSet),
      async judge(parts, { signal }, work) {
        const answers = packs.map(async (pack) =>
          toProbability(pack, (await inferViews(parts, { ...work, signal }, pack)).logits),
        );
        await Promise.allSettled(answers);
        return { [name]: Math.max(...(await Promise.all(answers))) };
      },
    };
  };
}

function toProbability({ id, output }: LabelsPack, values: Float32Array): number {
  const sum = output.labels.reduce(
    (total, label, index) =>
      output.positive.includes(label) ? total + (values[index] ?? Number.NaN) : total,
    0,
  );
  if (Number.isNaN(sum)) throw new Error(`the model ${id} gave no number`);
  return Math.min(1, Math.max(0, sum));
}

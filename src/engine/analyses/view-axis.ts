/** Judges whether a picture is safe to show, by the least safe answer of the packs. */
import { isNsfwPack, type NsfwPack } from '../../domain/packs/model-pack.ts';
import { inferViews, type OpenAxis, packsOf, toViewSet } from './axis.ts';

export const nsfw: OpenAxis = (usable) => {
  const packs = packsOf(usable, isNsfwPack);
  if (packs.length === 0) return null;
  return {
    step: 'nsfw',
    time: 'content',
    asksChild: false,
    viewSets: packs.map(toViewSet),
    async judge(parts, { signal }, work) {
      const answers = packs.map(async (pack) =>
        toNsfw(pack, (await inferViews(parts, { ...work, signal }, pack)).logits),
      );
      await Promise.allSettled(answers);
      return { nsfw: Math.max(...(await Promise.all(answers))) };
    },
  };
};

function toNsfw({ id, output }: NsfwPack, values: Float32Array): number {
  const sum = output.labels.reduce(
    (total, label, index) =>
      output.positive.includes(label) ? total + (values[index] ?? Number.NaN) : total,
    0,
  );
  if (Number.isNaN(sum)) throw new Error(`the model ${id} gave no number`);
  return Math.min(1, Math.max(0, sum));
}

/** What each model said of a record, a video's models by the mean over its frames and tracks. */
import type { ModelResult } from '../../domain/contract/record-parts.ts';
import { showText } from '../../domain/shown-text.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import { bounded } from './blocks.ts';
import type { Speaker } from './texts.ts';

/** Name, probability of an artificial origin, and what it looked for or why it gave no answer. */
export function resultRows(speaker: Speaker, { record, models }: EvidenceRecord): string[][] {
  const results =
    record.kind === 'video'
      ? [...record.images, ...record.audios].flatMap((part) => part.results)
      : record.results;
  const byModel = Map.groupBy(results, ({ model, version }) => `${model} ${version}`);
  return [...byModel].map(([key, runs]) => {
    const [first] = runs;
    const scores = runs.flatMap((run) => artificialScore(run) ?? []);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const name = models.find(({ id, version }) => `${id} ${version}` === key)?.name ?? first?.model ?? '';
    const axis = speaker.find(`axis_${first?.axis}`) ?? first?.axis ?? '';
    const places = record.kind === 'image' ? (first?.places ?? null) : null;
    const reason = scores.length === 0 ? `: ${showText(first?.reason ?? '')}` : '';
    return [
      `${name}\n${key}`,
      scores.length === 0 ? speaker.say('noAnswer') : speaker.percent(mean, 1),
      bounded(
        [`${axis}${reason} (${first?.device ?? ''})`, placesText(speaker, places)].filter(Boolean).join('. '),
      ),
    ];
  });
}

function placesText(speaker: Speaker, places: ModelResult['places']): string {
  if (places === null) return '';
  return speaker.say('placesApart', { count: String(places.count), spread: places.spread.toFixed(1) });
}

function artificialScore({ classification }: ModelResult): number | null {
  return classification.find(({ label }) => label === 'artificial')?.score ?? null;
}

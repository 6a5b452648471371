/** The parts of a recording in its report: each with its probability, the most suspicious named first. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { mostSuspiciousMoment } from '../../domain/verdicts/suspicious-moment.ts';
import type { Block } from './blocks.ts';
import type { Speaker } from './texts.ts';

/** A long recording has hundreds; the whole list is in record.json. */
const CLIPS_SHOWN_MAX = 60;

export function clipBlocks(speaker: Speaker, record: ClassificationRecord): Block[] {
  const sounds = record.kind === 'audio' ? [record] : record.kind === 'video' ? record.audios : [];
  const clips = sounds.flatMap((sound) => sound.clips);
  if (clips.length === 0) return [];
  const moments = clips.map(({ startSeconds, endSeconds, verdict }) => {
    const { classification, confidence, models } = verdict;
    const probability = classification === 'artificial' ? confidence : 1 - confidence;
    return { seconds: startSeconds, endSeconds, probability: models.length === 0 ? null : probability };
  });
  const rows = moments.slice(0, CLIPS_SHOWN_MAX).map(({ seconds, endSeconds, probability }) => {
    const share = probability === null ? '–' : speaker.percent(probability, 1);
    return [`${speaker.number(seconds, 1)} – ${speaker.number(endSeconds, 1)} s`, share];
  });
  return [
    { type: 'heading', level: 2, text: speaker.say('clips') },
    { type: 'paragraph', text: `${speaker.text('clipsLead')} ${momentSentence(speaker, moments)}`.trim() },
    { type: 'table', head: [speaker.text('time'), speaker.text('probability')], rows, widths: ['auto', '*'] },
  ];
}

/** The clip to listen to first: a sentence inserted into a real recording hardly changes the figure of the whole. */
function momentSentence(
  speaker: Speaker,
  moments: readonly { seconds: number; probability: number | null }[],
): string {
  const moment = moments.length < 2 ? null : mostSuspiciousMoment(moments);
  if (moment === null) return '';
  const time = `${speaker.number(moment.seconds, 1)} s`;
  return speaker.text('clipsMoment', { time, share: speaker.percent(moment.probability, 1) });
}

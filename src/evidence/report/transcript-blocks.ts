import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { showText } from '../../domain/shown-text.ts';
import type { Block } from './blocks.ts';
import type { Speaker } from './texts.ts';

/** The words, marked as written by a machine; the whole text is among the figures. */
export function transcriptBlocks(speaker: Speaker, record: ClassificationRecord): Block[] {
  const sounds = record.kind === 'audio' ? [record] : record.kind === 'video' ? record.audios : [];
  const [transcript] = sounds.flatMap((sound) => sound.transcript ?? []);
  if (transcript === undefined) return [];
  const { model, version, language, segments, segmentCount } = transcript;
  const isApart = segments.some(({ channel }) => channel !== null);
  const rows = segments.map(({ startSeconds, text, channel }) => [
    speaker.number(startSeconds, 1),
    ...(isApart ? [channel === null ? '' : speaker.number(channel)] : []),
    showText(text),
  ]);
  const parts = { model: `${model} ${version}`, language, shown: segments.length, count: segmentCount };
  return [
    { type: 'heading', level: 2, text: speaker.say('transcript') },
    { type: 'paragraph', text: speaker.text('transcriptLead', parts) },
    {
      type: 'table',
      head: [
        speaker.text('seconds'),
        ...(isApart ? [speaker.text('channel')] : []),
        speaker.say('transcript'),
      ],
      rows,
      widths: isApart ? ['auto', 'auto', '*'] : ['auto', '*'],
      ...(language === '' ? {} : { language }),
    },
  ];
}

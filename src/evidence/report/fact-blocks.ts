/** What the file says of how it was made. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { showText } from '../../domain/shown-text.ts';
import { type Block, bounded, type Fact } from './blocks.ts';
import type { Speaker } from './texts.ts';

export function fileFactBlocks(speaker: Speaker, { fileFacts }: ClassificationRecord): Block[] {
  if (fileFacts === null) return [];
  const { facts, contradictions } = fileFacts;
  const rows = facts.map(({ kind, field, value, isSigned }): Fact => {
    const where = isSigned ? `${speaker.say('factSigned')}, ${field}` : field;
    const name = speaker.say(`fact_${kind.toUpperCase() as Uppercase<typeof kind>}`);
    return { name, value: bounded(showText(`${value} (${where})`)) };
  });
  const heading: Block = { type: 'heading', level: 2, text: speaker.say('fileFacts') };
  if (rows.length === 0) return [heading, { type: 'paragraph', text: speaker.say('fileFactsNone') }];
  const wrong = contradictions.map((sentence) => bounded(showText(sentence[speaker.language])));
  const warnings: Block[] = wrong.length === 0 ? [] : [{ type: 'list', items: wrong }];
  return [
    heading,
    { type: 'paragraph', text: speaker.say('fileFactsUnsigned') },
    ...warnings,
    { type: 'facts', rows },
  ];
}

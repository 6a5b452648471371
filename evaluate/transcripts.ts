/**
 * `npm run evaluate:transcripts -- --data DIR`: sends recordings with known text through the running daemon and counts wrong
 * words by language, words that nobody said, and the time. DIR/texts.tsv has file, language and text; without text nobody speaks.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hear, readKnownTexts } from './heard-text.ts';
import { countWrongWords, toWords } from './wrong-words.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data === undefined) throw new Error('--data DIR is needed');
await evaluate(values.data);

async function evaluate(folder: string): Promise<void> {
  const tally = new Map<string, { words: number; wrong: number; clips: number; known: number }>();
  const time = { sound: 0, transcript: 0 };
  let invented = 0;
  for (const { file, language, text } of await readKnownTexts(folder)) {
    const heard = await hear(new Uint8Array(await readFile(join(folder, file))), file);
    if (text === '') {
      invented += toWords(heard.text, language).length;
      console.log(
        `${file}: nobody speaks, ${toWords(heard.text, language).length} words written in ${heard.durationSeconds} s`,
      );
      continue;
    }
    time.sound += heard.durationSeconds;
    time.transcript += heard.transcriptSeconds;
    const expected = toWords(text, language);
    const wrong = countWrongWords(expected, toWords(heard.text, language));
    const sum = tally.get(language) ?? { words: 0, wrong: 0, clips: 0, known: 0 };
    sum.words += expected.length;
    sum.wrong += wrong;
    sum.clips += 1;
    sum.known += heard.language === language ? 1 : 0;
    tally.set(language, sum);
    console.log(`${file}: ${wrong} of ${expected.length} words wrong: ${heard.text}`);
  }
  for (const [language, { words, wrong, clips, known }] of tally) {
    console.log(
      `${language}\t${((100 * wrong) / words).toFixed(1)} % wrong of ${words} words\tlanguage known in ${known} of ${clips}`,
    );
  }
  console.log(`words that nobody said: ${invented}`);
  console.log(`${time.sound.toFixed(0)} s of sound in ${time.transcript.toFixed(0)} s on the clock`);
}

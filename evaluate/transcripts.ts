/**
 * `npm run evaluate:transcripts -- --data DIR`: sends recordings with known text through the running daemon and counts wrong
 * words by language, words that nobody said, and the time. DIR/texts.tsv has file, language and text; without text nobody speaks.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DAEMON, endedSound, HEADERS, sendSound } from './sent-sound.ts';
import { countWrongWords, toWords } from './wrong-words.ts';

interface Row {
  file: string;
  language: string;
  text: string;
}

interface Heard {
  text: string;
  language: string;
  durationSeconds: number;
  transcriptSeconds: number;
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data === undefined) throw new Error('--data DIR is needed');
await evaluate(values.data);

async function evaluate(folder: string): Promise<void> {
  const tally = new Map<string, { words: number; wrong: number; clips: number; known: number }>();
  const time = { sound: 0, transcript: 0 };
  let invented = 0;
  for (const { file, language, text } of await readRows(folder)) {
    const heard = await hear(join(folder, file));
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

async function readRows(folder: string): Promise<Row[]> {
  const [, ...lines] = (await readFile(join(folder, 'texts.tsv'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [file = '', language = '', text = ''] = line.split('\t');
    return { file, language, text };
  });
}

async function hear(path: string): Promise<Heard> {
  const bytes = new Uint8Array(await readFile(path));
  const identifier = await sendSound(bytes, basename(path), { with_transcript: 'true' });
  const record = await endedSound<WrittenSound>(
    identifier,
    'stepTimes { step seconds } durationSeconds transcript { language }',
  );
  const response = await fetch(`${DAEMON}/media/${identifier}/transcript.json`, { headers: HEADERS });
  const { segments } = (await response.json()) as { segments: { text: string }[] };
  const step = record.stepTimes.find((one) => one.step === 'transcript');
  return {
    text: segments.map((segment) => segment.text).join(' '),
    language: record.transcript?.language ?? '',
    durationSeconds: record.durationSeconds,
    transcriptSeconds: step?.seconds ?? 0,
  };
}

interface WrittenSound {
  durationSeconds: number;
  stepTimes: { step: string; seconds: number }[];
  transcript: { language: string } | null;
}

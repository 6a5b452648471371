/**
 * `npm run evaluate:transcripts -- --data DIR`: sends recordings with known text through the running daemon and counts wrong
 * words by language, words that nobody said, and the time. DIR/texts.tsv has file, language and text; without text nobody speaks.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { countWrongWords, toWords } from './wrong-words.ts';

const POLL_MS = 500;
const ENDED_MS_MAX = 600_000;

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
const daemon = process.env.ASSAY_PUBLIC_URL ?? 'http://127.0.0.1:8480';
const key = process.env.ASSAY_API_KEY ?? '';
await evaluate(values.data);

async function evaluate(folder: string): Promise<void> {
  const tally = new Map<string, { words: number; wrong: number; clips: number; known: number }>();
  const time = { sound: 0, transcript: 0 };
  let invented = 0;
  for (const { file, language, text } of await readRows(folder)) {
    const heard = await hear(join(folder, file));
    if (text === '') {
      invented += toWords(heard.text).length;
      console.log(
        `${file}: nobody speaks, ${toWords(heard.text).length} words written in ${heard.durationSeconds} s`,
      );
      continue;
    }
    time.sound += heard.durationSeconds;
    time.transcript += heard.transcriptSeconds;
    const expected = toWords(text);
    const wrong = countWrongWords(expected, toWords(heard.text));
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
  const form = new FormData();
  form.set('audio', new Blob([await readFile(path)]), basename(path));
  form.set('with_transcript', 'true');
  form.set('no_cache', 'true');
  const headers = { 'x-api-key': key, accept: 'application/json' };
  const sent = await fetch(`${daemon}/api/classification_audio`, { method: 'POST', headers, body: form });
  const { identifier } = (await sent.json()) as { identifier?: string };
  if (identifier === undefined) throw new Error(`${path} was refused (${sent.status})`);
  const query = `{ classification(identifier: "${identifier}") { status errors stepTimes { step seconds }
    ... on AudioClassification { durationSeconds transcript { language } } } }`;
  const record = await ended(query, headers);
  const response = await fetch(`${daemon}/media/${identifier}/transcript.json`, { headers });
  const { segments } = (await response.json()) as { segments: { text: string }[] };
  const step = record.stepTimes.find((one) => one.step === 'transcript');
  return {
    text: segments.map((segment) => segment.text).join(' '),
    language: record.transcript?.language ?? '',
    durationSeconds: record.durationSeconds,
    transcriptSeconds: step?.seconds ?? 0,
  };
}

interface EndedRecord {
  status: string;
  errors: string;
  durationSeconds: number;
  stepTimes: { step: string; seconds: number }[];
  transcript: { language: string } | null;
}

async function ended(query: string, headers: Record<string, string>): Promise<EndedRecord> {
  const until = Date.now() + ENDED_MS_MAX;
  while (Date.now() < until) {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const response = await fetch(`${daemon}/graphql`, { ...init, body: JSON.stringify({ query }) });
    const { data } = (await response.json()) as { data: { classification: EndedRecord } };
    if (data.classification.status === 'DONE') return data.classification;
    if (data.classification.status === 'ERRORED') throw new Error(data.classification.errors);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('a recording took longer than ten minutes');
}

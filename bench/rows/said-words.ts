/** How soon a phrase is found among the transcripts of an account, against reading each one; and what writing their words costs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PROVENANCE } from '../../src/domain/provenance/provenance.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { isSaid } from '../../src/domain/transcripts/transcript.ts';
import type { AudioResult } from '../../src/domain/verdicts/result.ts';
import { transcriptOf } from '../../src/domain/verdicts/transcripts-of.ts';
import { Store } from '../../src/store/store.ts';
import { type Row, RUNS } from '../row.ts';

const TRANSCRIPTS = 5000;
/** A minute of talk. */
const WORDS = 150;
const VOCABULARY = 20_000;
const BATCH = 50;
/** Three of those words, as rare as names are. */
const RANKS = [9000, 30, 12_000];

export async function measureSaidWords(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  const store = stack.use(await Store.open({ folder }));
  const phrase = RANKS.map(wordOf).join(' ');
  const writtenMs = await writeTranscripts(store, phrase);
  const { read } = store;
  const searched: number[] = [];
  const looked: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAt = processorMs();
    const ids = read.words.analysesThatMaySay(1, phrase) ?? [];
    const found = ids.filter((id) => isSaid(transcriptOf(read.analyses.get(id)?.result ?? null), phrase));
    searched.push(processorMs() - startedAt);
    const lookedAt = processorMs();
    const all = [...read.doneAnalyses()].filter(({ result }) => isSaid(transcriptOf(result), phrase));
    looked.push(processorMs() - lookedAt);
    if (found.length !== 1 || all.length !== 1) throw new Error(`the phrase was found ${found.length} times`);
  }
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    {
      ...row,
      name: `a phrase among ${TRANSCRIPTS} transcripts of a minute, processor time`,
      runs: searched,
      bareRuns: looked,
    },
    { ...row, name: 'writing one of them with its words, processor time', runs: [writtenMs / TRANSCRIPTS] },
    {
      name: 'rows of words for one of them',
      unit: '',
      better: 'lower',
      runs: [read.words.rowCount / TRANSCRIPTS],
    },
  ];
}

async function writeTranscripts(store: Store, phrase: string): Promise<number> {
  let spentMs = 0;
  for (let from = 0; from < TRANSCRIPTS; from += BATCH) {
    await store.transact((tx) => {
      const startedAt = processorMs();
      for (let index = from; index < from + BATCH; index++) {
        const text = index === TRANSCRIPTS / 2 ? `${talk()} ${phrase}` : talk();
        const id = index.toString(16).padStart(64, '0');
        tx.putAnalysis({
          ...{
            kind: 'audio',
            hash: id,
            sourceUrl: null,
            options: DEFAULT_OPTIONS,
            accountId: 1,
            id,
            models: [],
          },
          ...{ key: `said/${index}`, attempts: 1, lease: null, queuedAt: index, endedAt: index, error: '' },
          ...{ apiVersion: '1.1.0', state: 'done', result: resultOf(text) },
        });
      }
      spentMs += processorMs() - startedAt;
    });
  }
  return spentMs;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Words come as often as in a language: the second half as often as the first, and so on. */
function talk(): string {
  return Array.from({ length: WORDS }, () => wordOf(Math.floor(VOCABULARY ** Math.random()))).join(' ');
}

const SYLLABLES = ['ba', 'ke', 'ni', 'sto', 'ru', 'mel', 'ta', 'vi', 'ro', 'gan'];

function wordOf(rank: number): string {
  return Array.from(String(rank), (digit) => SYLLABLES[Number(digit)]).join('');
}

function resultOf(text: string): AudioResult {
  const segments = [{ startSeconds: 0, endSeconds: 60, text, confidence: 1, language: 'en' }];
  return {
    ...{
      kind: 'audio',
      mime: 'audio/flac',
      durationSeconds: 60,
      sampleRate: 16_000,
      channelCount: 1,
      runs: [],
    },
    ...{ clips: [], damaged: false, speechSeconds: 60, channels: [], provenance: NO_PROVENANCE },
    transcript: {
      ...{ model: 'm', version: '1.0.0', language: 'en', segments, leftOutSeconds: 0, fault: '' },
      elapsedSeconds: 1,
    },
  };
}

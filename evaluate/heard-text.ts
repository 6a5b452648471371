/** Recordings with known text, and what the running daemon writes down of a recording. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAEMON, endedSound, HEADERS, sendSound } from './sent-sound.ts';

interface KnownText {
  file: string;
  /** ISO 639-1. */
  language: string;
  /** Empty if nobody speaks. */
  text: string;
}

interface HeardText {
  text: string;
  /** Text by channel, from 1; empty if the channels hold the same voice. */
  channels: Map<number, string>;
  language: string;
  durationSeconds: number;
  transcriptSeconds: number;
}

interface WrittenSound {
  durationSeconds: number;
  stepTimes: { step: string; seconds: number }[];
  transcript: { language: string } | null;
}

interface WrittenSegment {
  text: string;
  channel?: number;
}

/** The rows of `texts.tsv`: file, language, text. */
export async function readKnownTexts(folder: string): Promise<KnownText[]> {
  const [, ...lines] = (await readFile(join(folder, 'texts.tsv'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [file = '', language = '', text = ''] = line.split('\t');
    return { file, language, text };
  });
}

/** Throws if it is refused or its analysis fails. */
export async function hear(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<HeardText> {
  const identifier = await sendSound(bytes, name, { with_transcript: 'true' });
  const record = await endedSound<WrittenSound>(
    identifier,
    'stepTimes { step seconds } durationSeconds transcript { language }',
  );
  const response = await fetch(`${DAEMON}/media/${identifier}/transcript.json`, { headers: HEADERS });
  const { segments } = (await response.json()) as { segments: WrittenSegment[] };
  const apart = Map.groupBy(segments, ({ channel }) => channel);
  const channels = [...apart].flatMap(([channel, own]) =>
    channel === undefined ? [] : [[channel, textOf(own)] as const],
  );
  return {
    text: textOf(segments),
    channels: new Map(channels),
    language: record.transcript?.language ?? '',
    durationSeconds: record.durationSeconds,
    transcriptSeconds: record.stepTimes.find(({ step }) => step === 'transcript')?.seconds ?? 0,
  };
}

function textOf(segments: readonly WrittenSegment[]): string {
  return segments.map(({ text }) => text).join(' ');
}

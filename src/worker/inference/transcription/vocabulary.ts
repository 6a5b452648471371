/** A Whisper model's tokens: pieces of words, and the signs for tasks, times and languages. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

export const TIME_STEP_SECONDS = 0.02;

const vocabularySchema = z.record(z.string(), z.int().min(0).max(200_000));
const generationSchema = z.object({ suppress_tokens: z.array(z.int().min(0)).max(1000) });

export interface VocabularyFiles {
  vocabularyPath: string;
  specialTokensPath: string;
  generationPath: string;
}

export class Vocabulary {
  readonly #pieces: readonly (Uint8Array | undefined)[];
  readonly languages: ReadonlyMap<number, string>;
  /** Tokens that are never written: brackets of sound effects, and signs of other meaning. */
  readonly suppressed: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly transcribe: number;
  readonly noSpeech: number;
  readonly noTimes: number;
  readonly firstTime: number;
  /** A space alone, with which no text begins. */
  readonly space: number;

  private constructor(words: Record<string, number>, signs: Record<string, number>, suppressed: number[]) {
    const pieces: (Uint8Array | undefined)[] = [];
    for (const [word, token] of Object.entries(words)) pieces[token] = toBytes(word);
    this.#pieces = pieces;
    const sign = (name: string): number => {
      const token = signs[`<|${name}|>`] ?? words[`<|${name}|>`];
      if (token === undefined) throw new Error(`the vocabulary has no sign <|${name}|>`);
      return token;
    };
    this.suppressed = suppressed;
    this.start = sign('startoftranscript');
    this.end = sign('endoftext');
    this.transcribe = sign('transcribe');
    this.noSpeech = signs['<|nospeech|>'] ?? sign('nocaptions');
    this.noTimes = sign('notimestamps');
    this.firstTime = this.noTimes + 1;
    this.space = words.Ġ ?? this.end;
    this.languages = new Map(
      Object.entries(signs).flatMap(([name, token]) => {
        const language = /^<\|([a-z]{2,3})\|>$/.exec(name)?.[1];
        return language === undefined ? [] : [[token, language] as const];
      }),
    );
  }

  static async open(files: VocabularyFiles): Promise<Vocabulary> {
    const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
    const words = vocabularySchema.parse(await read(files.vocabularyPath));
    const signs = vocabularySchema.parse(await read(files.specialTokensPath));
    const { suppress_tokens } = generationSchema.parse(await read(files.generationPath));
    return new Vocabulary(words, signs, suppress_tokens);
  }

  signOf(language: string): number | undefined {
    for (const [token, name] of this.languages) if (name === language) return token;
    return undefined;
  }

  isText(token: number): boolean {
    return token < this.end;
  }

  isTime(token: number): boolean {
    return token >= this.firstTime;
  }

  secondsOf(time: number): number {
    return (time - this.firstTime) * TIME_STEP_SECONDS;
  }

  /** Read together, since a letter may be spread over several tokens. */
  toText(tokens: readonly number[]): string {
    const bytes = tokens.flatMap((token) => [...(this.#pieces[token] ?? [])]);
    return new TextDecoder('utf-8').decode(Uint8Array.from(bytes));
  }
}

const BYTE_OF_LETTER = lettersOfBytes();

/** Each letter of the vocabulary is one byte, as in GPT-2: unprintable ones were moved past 256. */
function lettersOfBytes(): ReadonlyMap<string, number> {
  const letters = new Map<string, number>();
  let moved = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrinted = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    letters.set(String.fromCodePoint(isPrinted ? byte : moved++), byte);
  }
  return letters;
}

function toBytes(word: string): Uint8Array {
  return Uint8Array.from([...word].flatMap((letter) => BYTE_OF_LETTER.get(letter) ?? []));
}

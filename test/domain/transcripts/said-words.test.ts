import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import {
  holds,
  piecesOf,
  WORDS_MAX,
  wantedWords,
  wordsOf,
} from '../../../src/domain/transcripts/said-words.ts';
import { isSaid, type Transcript } from '../../../src/domain/transcripts/transcript.ts';

const said = (text: string): string[] => [...wordsOf(text).words];

test('words are runs of letters and digits in lower case, each once', () => {
  deepEqual(said("The mayor's 2nd, the LAST — été"), ['the', 'mayor', 's', '2nd', 'last', 'été']);
  deepEqual(said('नमस्ते दुनिया'), ['नमस्ते', 'दुनिया']);
  deepEqual(said(''), []);
});

test('scripts without spaces give each two letters that follow each other', () => {
  deepEqual(said('東京都、iPhoneの'), ['東京', '京都', 'iphone', 'の']);
});

test('a transcript with too many words, or one too long, says that it is not whole', () => {
  const many = Array.from({ length: WORDS_MAX + 1 }, (_, index) => `w${index}`).join(' ');
  equal(wordsOf(many).isWhole, false);
  equal(wordsOf(many).words.size, WORDS_MAX);
  equal(wordsOf('x'.repeat(65)).isWhole, false);
  ok(wordsOf('x'.repeat(64)).isWhole);
});

test('a searched text needs its inner words whole, and the outer ones as parts', () => {
  deepEqual(wantedWords('inister of sta'), [
    { word: 'inister', mayBeginWithin: true, mayEndWithin: false },
    { word: 'sta', mayBeginWithin: false, mayEndWithin: true },
    { word: 'of', mayBeginWithin: false, mayEndWithin: false },
  ]);
  deepEqual(wantedWords('EU'), [], 'two letters may stand in any word');
});

const LETTERS = ['a', 'b', 'c', 'A', ' ', ' ', "'", '東', '京', '都', 'é', '1'];

/** Texts by rule, so that a failure comes again. */
function* texts(count: number, length: number, seed: number): Generator<string> {
  let state = seed;
  for (let made = 0; made < count; made++) {
    let text = '';
    for (let at = 0; at < length; at++) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      text += LETTERS[Math.floor((state / 2 ** 31) * LETTERS.length)];
    }
    yield text;
  }
}

test('the wanted words of a text are among the words of each transcript that holds it', () => {
  let found = 0;
  for (const text of texts(400, 30, 1)) {
    const transcript = { segments: [{ text }] } as unknown as Transcript;
    const { words } = wordsOf(text);
    for (let length = 1; length < 9; length++) {
      const part = text.slice(7, 7 + length);
      if (!isSaid(transcript, part)) continue;
      for (const wanted of wantedWords(part)) {
        const holding = [...words].filter((word) => holds(word, wanted));
        ok(holding.length > 0, `"${part}" in "${text}": no word for ${wanted.word}`);
        if (wanted.mayBeginWithin || wanted.mayEndWithin) {
          const isReached = holding.some((word) =>
            piecesOf(wanted.word).every((one) => piecesOf(word).includes(one)),
          );
          ok(isReached, `"${part}" in "${text}": ${wanted.word} has pieces that no word has`);
        } else ok(words.has(wanted.word), `"${part}" in "${text}"`);
        found += 1;
      }
    }
  }
  ok(found > 1000, `${found} words were looked for`);
});

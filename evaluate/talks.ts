/**
 * `npm run evaluate:talks -- --data DIR [--turns] [--bleed DB]`: puts each two recordings with known text on the two channels of one,
 * sends it and its mix through the running daemon, and counts the wrong words of both texts, and the time. DIR is a folder as
 * `evaluate:transcripts` takes it. The second one begins with the first, with `--turns` after it; with `--bleed` each microphone
 * hears the other one too, so many decibels quieter.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hear, readKnownTexts } from './heard-text.ts';
import { decodeMono } from './sound-tiers.ts';
import { toWave } from './wave.ts';
import { countWrongWords, toWords } from './wrong-words.ts';

const RATE = 16_000;
/** Root mean square of each voice, so low that their sum is never clipped. */
const LEVEL = 0.05;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    turns: { type: 'boolean', default: false },
    bleed: { type: 'string' },
  },
});
if (values.data === undefined) throw new Error('--data DIR is needed');
const bleed = values.bleed === undefined ? 0 : 10 ** (-Math.abs(Number(values.bleed)) / 20);
await evaluate(values.data);

async function evaluate(folder: string): Promise<void> {
  const rows = await readKnownTexts(folder);
  const sum = { words: 0, inChannels: 0, inMix: 0, channelSeconds: 0, mixSeconds: 0, soundSeconds: 0 };
  for (let at = 0; at + 1 < rows.length; at += 2) {
    const [one, other] = [rows[at], rows[at + 1]];
    if (one === undefined || other === undefined) break;
    const name = `${one.file} and ${other.file}`;
    const texts = [one, other].map(({ text, language }) => toWords(text, language));
    const channels = place([one, other].map(({ file }) => decodeMono(join(folder, file), RATE)));
    const apart = await hear(new Uint8Array(toWave(channels, RATE)), `${at}.wav`);
    const mixed = await hear(new Uint8Array(toWave([mixOf(channels)], RATE)), `${at}-mix.wav`);
    if (apart.channels.size < 2) console.log(`${name}: the channels were not heard apart`);
    const written = [one, other].map(({ language }, index) =>
      toWords(apart.channels.get(index + 1) ?? '', language),
    );
    const inChannels = texts.reduce(
      (wrong, text, index) => wrong + countWrongWords(text, written[index] ?? []),
      0,
    );
    const inMix = wrongInMix(texts, toWords(mixed.text, one.language));
    const words = texts.flat().length;
    console.log(`${name}: ${inChannels} of ${words} words wrong in channels, ${inMix} in the mix`);
    for (const [channel, text] of apart.channels) console.log(`  ${channel}: ${text}`);
    console.log(`  mix: ${mixed.text}`);
    sum.words += words;
    sum.inChannels += inChannels;
    sum.inMix += inMix;
    sum.channelSeconds += apart.transcriptSeconds;
    sum.mixSeconds += mixed.transcriptSeconds;
    sum.soundSeconds += apart.durationSeconds;
  }
  const share = (wrong: number) => `${((100 * wrong) / sum.words).toFixed(1)} %`;
  console.log(
    `of ${sum.words} words wrong: ${share(sum.inChannels)} in channels, ${share(sum.inMix)} in the mix`,
  );
  console.log(
    `${sum.soundSeconds.toFixed(0)} s of sound: ${sum.channelSeconds.toFixed(0)} s for the channels, ${sum.mixSeconds.toFixed(0)} s for the mix`,
  );
}

/** Lays both voices on channels of their own, equally loud. */
function place(voices: readonly Float32Array[]): Float32Array[] {
  const even = voices.map((samples) => {
    const level = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    return samples.map((value) => (value * LEVEL) / level);
  });
  const starts = even.map((_, index) => (values.turns && index === 1 ? (even[0]?.length ?? 0) : 0));
  const length = Math.max(...even.map((samples, index) => samples.length + (starts[index] ?? 0)));
  const alone = even.map((samples, index) => {
    const channel = new Float32Array(length);
    channel.set(samples, starts[index] ?? 0);
    return channel;
  });
  return alone.map((own, index) => own.map((value, at) => value + bleed * (alone[1 - index]?.[at] ?? 0)));
}

function mixOf(channels: readonly Float32Array[]): Float32Array {
  const [left = new Float32Array(), right = new Float32Array()] = channels;
  return left.map((value, at) => (value + (right[at] ?? 0)) / 2);
}

/** A mix has no order between two who speak at once: the better one counts. */
function wrongInMix(texts: readonly string[][], found: readonly string[]): number {
  return Math.min(countWrongWords(texts.flat(), found), countWrongWords(texts.toReversed().flat(), found));
}

/**
 * Decodes every clip to 16 kHz mono and passes it through each codec, for prepare.py.
 * Writes one file of 16-bit samples per variant, clips one after another in the order of the list.
 *
 * usage: node codecs.ts DATA_FOLDER LIST_FILE OUTPUT_FOLDER [VARIANT ...]
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decoder, Demuxer } from 'node-av';
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT } from 'node-av/constants';
import { passThrough, type Variant } from './codec-chain.ts';
import { alignWith, resample, toBytes, toFloats } from './samples.ts';

const RATE = 16_000;
/** Clips of the collection are at most 3.2 s; longer ones are cut so that one recording does not fill the cache. */
const SAMPLES_MAX = 51_200;

const VARIANTS: Variant[] = [
  { name: 'mp3-32', encoder: 'libmp3lame', decoder: 'mp3float', rate: 22_050, bitRate: 32_000 },
  { name: 'mp3-64', encoder: 'libmp3lame', decoder: 'mp3float', rate: 16_000, bitRate: 64_000 },
  {
    name: 'opus-24',
    encoder: 'libopus',
    decoder: 'opus',
    rate: 48_000,
    bitRate: 24_000,
    options: { application: 'voip' },
  },
  { name: 'aac-32', encoder: 'aac', decoder: 'aac', rate: 16_000, bitRate: 32_000 },
  { name: 'vorbis-40', encoder: 'libvorbis', decoder: 'vorbis', rate: 16_000, bitRate: 40_000 },
  { name: 'g722', encoder: 'g722', decoder: 'g722', rate: 16_000, bitRate: 64_000 },
  { name: 'telephone-mulaw', encoder: 'pcm_mulaw', decoder: 'pcm_mulaw', rate: 8_000, bitRate: 64_000 },
  { name: 'telephone-g726', encoder: 'g726', decoder: 'g726', rate: 8_000, bitRate: 32_000 },
  {
    name: 'telephone-opus',
    encoder: 'libopus',
    decoder: 'opus',
    rate: 8_000,
    bitRate: 9_000,
    options: { application: 'voip' },
  },
  { name: 'telephone-celp', encoder: 'real_144', decoder: 'real_144', rate: 8_000, bitRate: 8_000 },
];

function decodeFile(path: string): Float32Array {
  const demuxer = Demuxer.openSync(path);
  const stream = demuxer.audio();
  if (stream === undefined) throw new Error(`${path}: expected an audio stream, found none`);
  const resample = {
    sampleRate: RATE,
    sampleFormat: AV_SAMPLE_FMT_FLT,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
  };
  const decoder = Decoder.createSync(stream, { resample });
  const samples = new Float32Array(SAMPLES_MAX);
  let count = 0;
  for (const frame of decoder.framesSync(demuxer.packetsSync(stream.index))) {
    if (frame === null) continue;
    const part = toFloats(frame).subarray(0, SAMPLES_MAX - count);
    samples.set(part, count);
    count += part.length;
    frame.free();
    if (count === SAMPLES_MAX) break;
  }
  decoder.close();
  demuxer.closeSync();
  return samples.slice(0, count);
}

function writeVariant(folder: string, name: string, clips: Float32Array[]): void {
  const joined = Buffer.concat(clips.map((clip) => toBytes(clip, false)));
  writeFileSync(join(folder, `${name}.${process.pid}.tmp`), joined);
  renameSync(join(folder, `${name}.${process.pid}.tmp`), join(folder, `${name}.s16`));
}

const [dataFolder, listFile, outputFolder, ...names] = process.argv.slice(2);
if (dataFolder === undefined || listFile === undefined || outputFolder === undefined) {
  throw new Error('usage: node codecs.ts DATA_FOLDER LIST_FILE OUTPUT_FOLDER [VARIANT ...]');
}
const files = readFileSync(listFile, 'utf8').trim().split('\n');
const clips = files.map((file) => decodeFile(join(dataFolder, file)));
writeVariant(outputFolder, 'clean', clips);
writeFileSync(join(outputFolder, 'lengths.json'), JSON.stringify(clips.map((clip) => clip.length)));
for (const variant of VARIANTS) {
  if (names.length > 0 && !names.includes(variant.name)) continue;
  const start = Date.now();
  writeVariant(
    outputFolder,
    variant.name,
    clips.map((clip) => alignWith(clip, passThrough(resample(clip, RATE, variant.rate), variant, RATE))),
  );
  console.log(`${variant.name}: ${Date.now() - start} ms`);
}

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Demuxer } from 'node-av';
import { toMp3, toTelephone } from '../../evaluate/sound-tiers.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const RATE = 16_000;
const TELEPHONE_RATE = 8_000;
const HEADER_BYTES = 58;

/** One second of tones of equal strength, as a 16-bit WAV. */
function tones(...hertz: number[]): Buffer {
  const data = Buffer.alloc(RATE * 2);
  for (let time = 0; time < RATE; time++) {
    const value = hertz.reduce((sum, tone) => sum + Math.sin((2 * Math.PI * tone * time) / RATE), 0);
    data.writeInt16LE(Math.round((value * 8000) / hertz.length), time * 2);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

/** Strength of a tone in a µ-law file, by correlation. */
function strengthOf(file: Buffer, hertz: number): number {
  const codes = file.subarray(HEADER_BYTES);
  let [real, imaginary] = [0, 0];
  for (const [time, code] of codes.entries()) {
    const value = ~code & 255;
    const magnitude = (((value & 15) << 3) + 132) * 2 ** ((value >> 4) & 7) - 132;
    const sample = value & 128 ? -magnitude : magnitude;
    real += sample * Math.cos((2 * Math.PI * hertz * time) / TELEPHONE_RATE);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * time) / TELEPHONE_RATE);
  }
  return (2 * Math.hypot(real, imaginary)) / codes.length;
}

test('the telephone keeps its band and drops the rest', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'tones.wav');
  await writeFile(path, tones(100, 1000));
  const file = toTelephone(path);
  const [inside, outside] = [strengthOf(file, 1000), strengthOf(file, 100)];
  assert.ok(Math.abs(inside - 4000) < 200, `1 kHz has ${inside}`);
  assert.ok(outside < 60, `100 Hz has ${outside}`);
});

test('an MP3 copy is MP3 of the same length', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'tones.wav');
  await writeFile(path, tones(440));
  const copy = join(folder.path, 'copy.mp3');
  await writeFile(copy, toMp3(path));
  const demuxer = Demuxer.openSync(copy);
  const parameters = demuxer.audio()?.codecpar;
  assert.equal(parameters?.sampleRate, RATE);
  assert.ok(Math.abs(demuxer.duration - 1) < 0.2, `${demuxer.duration} s`);
  demuxer.closeSync();
});

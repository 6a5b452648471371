/** Copies that Debian's ffmpeg and sox make: each tier gives sound of the same length, whatever the codec. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeMono } from '../../evaluate/sound-tiers.ts';
import { makeSoundCopy, tierNames } from '../../evaluate/tiers.ts';
import { losePackets, VOICE_CODECS } from '../../evaluate/voice-codecs.ts';
import { toWave } from '../../evaluate/wave.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const RATE = 16_000;
const SECONDS = 2;
const missing = ['ffmpeg', 'sox'].filter((program) => spawnSync(program, ['--version']).error !== undefined);
const skip = missing.length > 0 && `${missing.join(' and ')} not installed`;

test('each tier is a copy of the same length that is still heard', { skip }, async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'tone.wav');
  const tone = Float32Array.from(
    { length: RATE * SECONDS },
    (_, at) => Math.sin(at / 8) * Math.sin(at / 900),
  );
  await writeFile(path, toWave([tone.map((value) => value / 2)], RATE));
  for (const tier of Object.keys(VOICE_CODECS)) {
    const copy = join(folder.path, `${tier}.wav`);
    await writeFile(copy, makeSoundCopy(tier, path));
    const samples = decodeMono(copy, RATE);
    assert.ok(Math.abs(samples.length / RATE - SECONDS) < 0.1, `${tier} has ${samples.length} samples`);
    assert.ok(samples.reduce((sum, value) => sum + value * value, 0) > 10, `${tier} is heard`);
  }
  assert.throws(() => makeSoundCopy('none', path), /no tier none/);
});

test('a lost packet repeats the one before, quieter', () => {
  const samples = Buffer.alloc(320 * 3, 0);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(1000 + (at >> 1), at);
  const all = losePackets(Buffer.from(samples), { rate: 8_000, lostPercent: 100 }, Buffer.alloc(32));
  assert.deepEqual([all.readInt16LE(0), all.readInt16LE(320), all.readInt16LE(640)], [1000, 700, 490]);
  const none = losePackets(Buffer.from(samples), { rate: 8_000, lostPercent: 0 }, Buffer.alloc(32));
  assert.ok(none.equals(samples));
});

test('codecs are tiers of sound that are asked for by name', () => {
  assert.deepEqual(tierNames('audio', { tiers: true, codecs: false }), ['clean', 'mp3-64', 'telephone']);
  assert.ok(tierNames('audio', { tiers: false, codecs: true }).includes('speex'));
});

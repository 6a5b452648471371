import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_MP2,
  FF_ENCODER_PCM_F32LE,
  FF_ENCODER_PCM_S16LE,
} from 'node-av/constants';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { MediaFaultError } from '../../src/engine/children/worker-errors.ts';
import type { DecodedAudio } from '../../src/worker/protocol/decoded-media.ts';
import { LIMITS } from '../media/decode-fixture.ts';
import { makeSound, type SoundRecipe } from '../media/make-media.ts';
import { silentFlac } from '../media/silent-flac.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';

const child = new SlotOfFile();

const WAV: SoundRecipe = {
  container: 'wav',
  codec: FF_ENCODER_PCM_S16LE,
  seconds: 3,
  rate: 16_000,
  channels: 2,
};

async function decode(bytes: Uint8Array, soundSecondsMax = 60): Promise<DecodedAudio> {
  const input = await child.place(bytes);
  return (await child.slot.request({ type: 'decode-audio', input, trust: NO_TRUST, soundSecondsMax })).audio;
}

/** Root mean square of a sound. */
async function levelOf(audio: DecodedAudio, name: string): Promise<number> {
  const sound = audio.sound.sounds.find((one) => one.name === name);
  assert.ok(sound !== undefined, `there is no ${name}`);
  const bytes = await readFile(child.slot.outPath(sound.file));
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** Two people take turns of half a second, each at a pitch of their own. */
const person = (seconds: number, who: number): number =>
  Math.floor(seconds * 2) % 2 === who ? 0.4 * Math.sin(2 * Math.PI * (220 + 130 * who) * seconds) : 0;

const STEREO: { name: string; wave: (seconds: number, channel: number) => number; expected: string[] }[] = [
  { name: 'one person in both channels', wave: (at) => person(at, 0), expected: ['mix'] },
  { name: 'a person in each channel', wave: person, expected: ['mix', 'channel-1', 'channel-2'] },
  {
    name: 'a person in each channel, heard a little in the other',
    wave: (at, channel) => person(at, channel) + 0.15 * person(at, 1 - channel),
    expected: ['mix', 'channel-1', 'channel-2'],
  },
  {
    name: 'two people in one room before two microphones',
    wave: (at, channel) => person(at, channel) + 0.6 * person(at, 1 - channel),
    expected: ['mix'],
  },
  {
    name: 'a person left, silence right',
    wave: (at, channel) => (channel === 0 ? person(at, 0) : 0),
    expected: ['mix'],
  },
  { name: 'silence', wave: () => 0, expected: ['mix'] },
];

for (const { name, wave, expected } of STEREO) {
  test(`stereo: ${name}`, async () => {
    const { sound } = await decode(makeSound({ ...WAV, wave }));
    assert.deepEqual(
      sound.sounds.map((file) => file.name),
      expected,
    );
    for (const file of sound.sounds) assert.equal(file.sampleCount, 48_000);
  });
}

/** After a second the recorder was paused for two; half a second later it is loud. */
const PAUSED: SoundRecipe = {
  ...{ container: 'matroska', codec: FF_ENCODER_PCM_S16LE, seconds: 2, rate: 48_000, channels: 1 },
  wave: (at) => (at >= 1.5 ? 0.5 * Math.sin(2 * Math.PI * 440 * at) : 0),
  timeOf: (at) => (at >= 1 ? at + 2 : at),
};

test('speech after a pause of the recorder has the time at which players play it', async () => {
  const { sound } = await decode(makeSound(PAUSED));
  assert.ok(Math.abs(sound.durationSeconds - 4) < 0.05, `${sound.durationSeconds} seconds`);
  const bytes = await readFile(child.slot.outPath(sound.sounds[0]?.file ?? ''));
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const from = samples.findIndex((sample) => Math.abs(sample) > 0.1) / 16_000;
  assert.ok(Math.abs(from - 3.5) < 0.06, `loud from ${from}`);
});

test('a pause of an hour is too long, and is not written; one of years is a clock that lies', async () => {
  const paused = (seconds: number) => makeSound({ ...PAUSED, timeOf: (at) => (at >= 1 ? at + seconds : at) });
  await assert.rejects(decode(paused(3500)), /lasts 3502 seconds; at most 60/);
  const { sound, damaged } = await decode(paused(1e8));
  assert.ok(Math.abs(sound.durationSeconds - 2) < 0.05, `${sound.durationSeconds} seconds`);
  assert.equal(damaged, false);
});

for (const [container, codec] of [
  ['mpegts', FF_ENCODER_MP2],
  ['ogg', FF_ENCODER_FLAC],
] as const) {
  test(`sound after a restart of the clock is heard: ${container}`, async () => {
    const piece = { ...PAUSED, container, codec };
    const first = makeSound({ ...piece, timeOf: (at) => at + 100 });
    const second = makeSound({ ...piece, timeOf: (at) => at });
    const { sound } = await decode(Buffer.concat([first, second]));
    assert.ok(Math.abs(sound.durationSeconds - 4) < 0.2, `${sound.durationSeconds} seconds`);
  });
}

test('a channel holds its person only', async () => {
  const audio = await decode(
    makeSound({ ...WAV, wave: (at, channel) => (channel + 1) * 0.5 * person(at, channel) }),
  );
  assert.ok(Math.abs((await levelOf(audio, 'channel-1')) - 0.1) < 0.01);
  assert.ok(Math.abs((await levelOf(audio, 'channel-2')) - 0.2) < 0.01);
});

test('how much lies above the band of a telephone is measured, of each channel by itself', async () => {
  const wide = (at: number) => person(at, 0) + 0.05 * Math.sin(2 * Math.PI * 5_000 * at);
  const { sound } = await decode(
    makeSound({ ...WAV, wave: (at, channel) => (channel === 0 ? wide(at) : person(at, 1)) }),
  );
  const levels = Object.fromEntries(sound.sounds.map(({ name, upperBandDb }) => [name, upperBandDb]));
  assert.ok((levels['channel-1'] ?? Number.NaN) > -25, `${levels['channel-1']}`);
  assert.ok((levels['channel-2'] ?? Number.NaN) < -50, `${levels['channel-2']}`);
  const telephone = await decode(
    makeSound({ ...WAV, rate: 8_000, channels: 1, wave: (at) => person(at, 0) }),
  );
  assert.ok((telephone.sound.sounds[0]?.upperBandDb ?? Number.NaN) < -50);
  const silence = await decode(makeSound({ ...WAV, wave: () => 0 }));
  assert.equal(silence.sound.sounds[0]?.upperBandDb, null);
});

test('channels that cancel each other are still heard', async () => {
  const audio = await decode(
    makeSound({ ...WAV, wave: (at, channel) => (channel === 0 ? 1 : -1) * person(at, 0) }),
  );
  assert.deepEqual(
    audio.sound.sounds.map(({ name }) => name),
    ['mix'],
  );
  assert.ok((await levelOf(audio, 'mix')) > 0.15);
  assert.notEqual(audio.sound.sounds[0]?.upperBandDb, null, 'the band is that of the channel that was kept');
});

test('a mix of equal channels is as loud as one of them', async () => {
  for (const channels of [1, 2, 6, 8]) {
    const audio = await decode(makeSound({ ...WAV, channels, wave: (at) => 0.3 * Math.sin(2000 * at) }));
    const level = await levelOf(audio, 'mix');
    assert.ok(Math.abs(level - 0.212) < 0.03, `${channels} channels: ${level}`);
  }
});

test('numbers that are none become silence', async () => {
  const bytes = makeSound({
    ...WAV,
    codec: FF_ENCODER_PCM_F32LE,
    channels: 1,
    wave: (at) => 0.1 * Math.sin(2000 * at),
  });
  for (let at = 10_000; at < 12_000; at += 8) {
    bytes.writeFloatLE(Number.NaN, at);
    bytes.writeFloatLE(Number.POSITIVE_INFINITY, at + 4);
  }
  const level = await levelOf(await decode(bytes), 'mix');
  assert.ok(level > 0.05 && level < 0.09, String(level));
});

test('a recording that ends early is given as far as it goes', async () => {
  const whole = makeSound(WAV);
  const { sound, damaged } = await decode(whole.subarray(0, whole.length / 2));
  assert.ok(Math.abs(sound.durationSeconds - 1.5) < 0.05);
  assert.equal(damaged, true);
  assert.equal((await decode(whole)).damaged, false);
});

test('damage inside is stepped over', async () => {
  const bytes = makeSound({ ...WAV, container: 'mp3', codec: FF_ENCODER_LIBMP3LAME, seconds: 6 });
  bytes.fill(0x5a, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2));
  const { sound } = await decode(bytes);
  assert.ok(sound.durationSeconds > 4, `${sound.durationSeconds} seconds`);
});

test('a rate that no recorder has is refused', async () => {
  const bytes = makeSound({ ...WAV, channels: 1 });
  bytes.writeUInt32LE(100, 24);
  await assert.rejects(decode(bytes), /sound of 1 channels at 100 Hz cannot be read/);
  bytes.writeUInt32LE(2_000_000_000, 24);
  await assert.rejects(decode(bytes), /at 2000000000 Hz cannot be read/);
});

test('two minutes of eight silent channels in a few kilobytes are refused, at the look and at work', async () => {
  const refused = (error: unknown) => {
    assert.ok(error instanceof MediaFaultError);
    assert.equal(error.fault, 'corrupt');
    assert.match(error.message, /packs more than 500 samples of sound into a byte/);
    return true;
  };
  const short = await decode(silentFlac(60));
  assert.deepEqual([short.sound.channelCount, short.damaged], [8, false]);
  await assert.rejects(decode(silentFlac(140), 7200), refused);
  const input = await child.slot.placeInput(join(child.folder, 'upload'));
  await assert.rejects(child.slot.request({ type: 'probe', input, limits: LIMITS }), refused);
});

test('a recording that is too long is refused with its length', async () => {
  const error = await decode(makeSound(WAV), 2).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof MediaFaultError);
  assert.equal(error.fault, 'too_long');
  assert.match(error.message, /lasts 3 seconds; at most 2 are accepted/);
});

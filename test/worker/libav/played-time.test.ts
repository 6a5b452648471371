/** Everything has the time at which players play it, and nothing that they play is left out. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { FFEncoderCodec } from 'node-av/constants';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import type { Probe } from '../../../src/worker/protocol/decoded-media.ts';
import { decodeVideo, LIMITS } from '../../media/decode-fixture.ts';
import {
  makeSound,
  makeStreams,
  makeVideo,
  type SoundRecipe,
  type VideoRecipe,
} from '../../media/make-media.ts';
import { SlotOfFile } from '../../media/slot-of-file.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';

const child = new SlotOfFile();

interface Played {
  name: string;
  bytes: () => Buffer | Promise<Buffer>;
  mime: string;
  seconds: number;
  /** Widths of the frames, in their order; none for sound. */
  widths?: number[];
}

const collected = (name: string) => () => readFile(sharedData('cases', name));

/** The inputs of public bug reports. */
const COLLECTED: Played[] = [
  { name: 'hikvision.mp4', mime: 'video/mpeg', seconds: 1, widths: [640] },
  { name: 'ts-mid-packet.ts', mime: 'video/mp2t', seconds: 3, widths: [640] },
  { name: 'skip-first.mov', mime: 'video/mp4', seconds: 3, widths: [640] },
  { name: 'zeros-first.mp3', mime: 'audio/mpeg', seconds: 11 },
  { name: 'two-parts.ts', mime: 'video/mp2t', seconds: 5, widths: [640, 320] },
  { name: 'chained-stereo.opus', mime: 'audio/ogg', seconds: 11 },
  { name: 'joined-rates.aac', mime: 'audio/aac', seconds: 11 },
].map((one) => ({ ...one, bytes: collected(one.name) }));

const codec = (name: string) => name as FFEncoderCodec;
const sound = (container: string, encoder: string, more: Partial<SoundRecipe> = {}): Buffer =>
  makeSound({ container, codec: codec(encoder), seconds: 2, rate: 16_000, channels: 1, ...more });
const film = (container: string, encoder: string, more: Partial<VideoRecipe> = {}): Buffer =>
  makeVideo({ container, codec: codec(encoder), seconds: 2, width: 192, height: 128, fps: 25, ...more });
const other = { width: 320, height: 240 };
const wide = { rate: 44_100, channels: 2 };
const bare = { muxerOptions: { write_xing: '0', id3v2_version: '0' } };

/** A packet of each 188 bytes with 16 of correction behind it. */
function withCorrections(stream: Buffer): Buffer {
  const packets = Array.from({ length: stream.length / 188 }, (_, at) =>
    stream.subarray(at * 188, at * 188 + 188),
  );
  return Buffer.concat(packets.flatMap((packet) => [packet, Buffer.alloc(16)]));
}

function apeTag(bytes: number): Buffer {
  const part = (flags: number) => {
    const head = Buffer.alloc(32);
    head.write('APETAGEX', 'latin1');
    for (const [at, value] of [2000, bytes + 32, 1, flags].entries()) head.writeUInt32LE(value, 8 + at * 4);
    return head;
  };
  return Buffer.concat([part(0xa0000000), Buffer.alloc(bytes, 'y'), part(0x80000000)]);
}

/** The stamps of MPEG-TS of one stream: the PES that begins in the middle says that it is played in half a day. */
function withWildStamp(stream: Buffer): Buffer {
  const wild = Buffer.from(stream);
  const heads = Array.from({ length: stream.length / 188 }, (_, at) => at * 188).filter(
    (at) => stream.readUInt16BE(at + 1) === 0x4100,
  );
  const at = heads[heads.length >> 1] ?? 0;
  const stamp = wild.indexOf(Buffer.from([0, 0, 1]), at) + 9;
  wild[stamp] = (wild[stamp] ?? 0) | 0x08;
  return wild;
}

const MADE: Played[] = [
  {
    name: 'MPEG-TS of another codec behind the join, without sound',
    bytes: () =>
      Buffer.concat([
        film('mpegts', 'libx264', { withSound: codec('aac') }),
        film('mpegts', 'mpeg2video', other),
      ]),
    ...{ mime: 'video/mp2t', seconds: 4, widths: [192, 320] },
  },
  {
    name: 'MPEG-TS of three parts with corrections, from amid a packet',
    bytes: () =>
      withCorrections(
        Buffer.concat([
          film('mpegts', 'libx264'),
          film('mpegts', 'libx264', other),
          film('mpegts', 'libx264'),
        ]),
      ).subarray(100),
    ...{ mime: 'video/mp2t', seconds: 6, widths: [192, 320, 192] },
  },
  {
    name: 'MPEG-PS in two parts behind the head of a Hikvision recorder',
    bytes: () =>
      Buffer.concat([
        Buffer.concat([Buffer.from('IMKH'), Buffer.alloc(36, 1)]),
        film('mpeg', 'mpeg2video', { withSound: codec('mp2') }),
        film('mpeg', 'mpeg2video', { ...other, withSound: codec('mp2') }),
      ]),
    ...{ mime: 'video/mpeg', seconds: 4, widths: [192, 320] },
  },
  {
    name: 'chained Ogg of pictures',
    bytes: () => Buffer.concat([film('ogg', 'libtheora'), film('ogg', 'libtheora', other)]),
    ...{ mime: 'video/ogg', seconds: 4, widths: [192, 320] },
  },
  { name: 'H.264', bytes: () => film('h264', 'libx264'), mime: 'video/h264', seconds: 2, widths: [192] },
  { name: 'HEVC', bytes: () => film('hevc', 'libx265'), mime: 'video/h265', seconds: 2, widths: [192] },
  {
    name: 'MPEG-1',
    bytes: () => film('mpeg1video', 'mpeg1video'),
    ...{ mime: 'video/mpeg', seconds: 2, widths: [192] },
  },
  {
    name: 'MP4 behind a box that is counted in its places',
    bytes: () =>
      Buffer.concat([Buffer.from('\0\0\x0b\xb8free', 'latin1'), Buffer.alloc(2992), film('mp4', 'libx264')]),
    ...{ mime: 'video/mp4', seconds: 2, widths: [192] },
  },
  {
    name: 'chained Vorbis',
    bytes: () => Buffer.concat([sound('ogg', 'libvorbis'), sound('ogg', 'libvorbis', wide)]),
    ...{ mime: 'audio/ogg', seconds: 4 },
  },
  {
    name: 'joined MP3',
    bytes: () =>
      Buffer.concat([sound('mp3', 'libmp3lame', bare), sound('mp3', 'libmp3lame', { ...wide, ...bare })]),
    ...{ mime: 'audio/mpeg', seconds: 4 },
  },
  {
    name: 'joined AC-3',
    bytes: () =>
      Buffer.concat([sound('ac3', 'ac3', { rate: 32_000 }), sound('ac3', 'ac3', { rate: 48_000 })]),
    ...{ mime: 'audio/ac3', seconds: 4 },
  },
  {
    name: 'MP3 from amid a frame',
    bytes: () => sound('mp3', 'libmp3lame', bare).subarray(100),
    ...{ mime: 'audio/mpeg', seconds: 2 },
  },
  {
    name: 'MP3 behind an APE tag with a picture',
    bytes: () => Buffer.concat([apeTag(200_000), sound('mp3', 'libmp3lame', bare)]),
    ...{ mime: 'audio/mpeg', seconds: 2 },
  },
  {
    name: 'MP3 behind a long padding',
    bytes: () => Buffer.concat([Buffer.alloc(100_000), sound('mp3', 'libmp3lame', bare)]),
    ...{ mime: 'audio/mpeg', seconds: 2 },
  },
  {
    name: 'MPEG-TS with one wild stamp',
    bytes: () => withWildStamp(sound('mpegts', 'mp2', { seconds: 4 })),
    ...{ mime: 'video/mp2t', seconds: 4 },
  },
  {
    name: 'a picture that stands for years by one stamp',
    bytes: () => film('matroska', 'libx264', { timeOf: (index) => (index < 30 ? index : index + 1e8) }),
    ...{ mime: 'video/x-matroska', seconds: 2, widths: [192] },
  },
];

/** Encoders begin and end with silence of their own, and clocks with a frame. */
const SECONDS_TOLERANCE = 0.2;

async function place(bytes: Uint8Array): Promise<{ input: string; probe: Probe }> {
  const input = await child.place(bytes);
  return { input, probe: (await child.slot.request({ type: 'probe', input, limits: LIMITS })).probe };
}

function assertPlayed(found: number | null, { seconds }: Played, what: string): void {
  assert.ok(
    Math.abs((found ?? 0) - seconds) <= SECONDS_TOLERANCE,
    `${what}: ${found} seconds, not ${seconds}`,
  );
}

for (const [cases, skip] of [[COLLECTED, skipWithoutSharedData('cases')] as const, [MADE, false] as const]) {
  for (const one of cases) {
    test(`played from end to end: ${one.name}`, { skip }, async () => {
      const { input, probe } = await place(await one.bytes());
      assert.equal(probe.mime, one.mime);
      assertPlayed(probe.durationSeconds, one, 'probe');
      if (one.widths === undefined) await assertHeard(input, one);
      else await assertSeen(input, one);
    });
  }
}

async function assertHeard(input: string, one: Played): Promise<void> {
  const { audio } = await child.slot.request({
    type: 'decode-audio',
    input,
    trust: NO_TRUST,
    soundSecondsMax: 60,
  });
  assertPlayed(audio.sound.durationSeconds, one, 'sound');
  assert.equal(audio.damaged, false);
  assert.equal(audio.provenance.fault, null);
  const peaks = await child.slot.request({ type: 'render', input, limits: LIMITS, kind: 'peaks' });
  assert.ok(peaks.figures.kind === 'peaks');
  assertPlayed(peaks.figures.durationSeconds, one, 'peaks');
}

async function assertSeen(input: string, one: Played): Promise<void> {
  const countMax = 8;
  const video = await decodeVideo(child.slot, {
    ...{ type: 'decode-video', input, limits: LIMITS, trust: NO_TRUST, patchSets: [] },
    ...{ decoder: 'cpu', frames: { method: 'even', countMax }, withTrack: true, soundSecondsMax: 60 },
  });
  assertPlayed(video.durationSeconds, one, 'video');
  assert.deepEqual([video.frames.length, video.damagedFrames, video.provenance.fault], [countMax, 0, null]);
  const widths = video.frames.map(({ width }) => width);
  assert.deepEqual(
    widths.filter((width, index) => width !== widths[index - 1]),
    one.widths,
  );
  for (const [index, { timeSeconds }] of video.frames.entries()) {
    const asked = ((index + 0.5) * one.seconds) / countMax;
    assert.ok(
      Math.abs(timeSeconds - asked) <= SECONDS_TOLERANCE,
      `frame ${index} at ${timeSeconds}, not ${asked}`,
    );
  }
}

test('all tracks are heard, by their names; what lies beyond the bounds is counted', async () => {
  const recipe = { container: 'mp4', codec: codec('aac'), seconds: 2, rate: 16_000 };
  const apart = (at: number, channel: number) =>
    Math.floor(at * 2) % 2 === channel ? Math.sin(1500 * at) : 0;
  const tracks = [
    { ...recipe, channels: 1 },
    { ...recipe, channels: 2, wave: apart },
    { ...recipe, channels: 1, seconds: 3 },
  ];
  const { input } = await place(makeStreams(recipe, [], tracks));
  const request = { type: 'decode-audio', input, trust: NO_TRUST } as const;
  const { sound: all } = (await child.slot.request({ ...request, soundSecondsMax: 60 })).audio;
  const names = ['track-1', 'track-2', 'track-2-channel-1', 'track-2-channel-2', 'track-3'];
  assert.deepEqual([all.sounds.map(({ name }) => name), all.tracksLeftOut], [names, 0]);
  assert.ok(Math.abs(all.durationSeconds - 3) < 0.1, 'as long as the longest');
  const { sound: some } = (await child.slot.request({ ...request, soundSecondsMax: 2.2 })).audio;
  assert.deepEqual([some.sounds.length, some.tracksLeftOut], [4, 1]);
});

test('a film goes on behind a join, and so does its sound', async () => {
  const bytes = [film('mpegts', 'libx264', { withSound: codec('aac') }), film('mpegts', 'mpeg2video', other)];
  const { input } = await place(Buffer.concat(bytes));
  await child.slot.request({ type: 'render', input, limits: LIMITS, kind: 'film' });
  const { probe } = await place(await readFile(child.slot.outPath('film.webm')));
  assert.ok(Math.abs((probe.durationSeconds ?? 0) - 4) <= SECONDS_TOLERANCE, `${probe.durationSeconds}`);
});

/** Frames of a video, through a real decode child: the right ones, upright, in the right colours, to the byte. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AV_PIX_FMT_YUV420P10LE,
  FF_ENCODER_AAC,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  FF_ENCODER_PCM_S16LE,
} from 'node-av/constants';
import sharp from 'sharp';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import type { DecodeProgress } from '../../src/engine/decode/decode-slot.ts';
import type { DecodeVideoRequest } from '../../src/worker/protocol/decode-protocol.ts';
import type { DecodedFrame } from '../../src/worker/protocol/decoded-media.ts';
import { decodeVideo, LIMITS, type VideoWithFrames } from '../media/decode-fixture.ts';
import { makeVideo, type VideoRecipe } from '../media/make-media.ts';
import { CORNERS, readFrameNumber } from '../media/numbered-frame.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';

const child = new SlotOfFile();

const PLAIN: VideoRecipe = {
  ...{ container: 'mp4', codec: FF_ENCODER_LIBX264, seconds: 2, width: 192, height: 128, fps: 25 },
};

async function decode(
  bytes: Uint8Array,
  more: Partial<DecodeVideoRequest> = {},
  onProgress: (progress: DecodeProgress) => void = () => {},
): Promise<VideoWithFrames> {
  const input = await child.place(bytes);
  const request: Omit<DecodeVideoRequest, 'id'> = {
    ...{ type: 'decode-video', input, limits: LIMITS, trust: NO_TRUST, patchSets: [] },
    ...{
      decoder: 'cpu',
      frames: { method: 'even', countMax: 5 },
      withTrack: false,
      soundSecondsMax: 60,
      ...more,
    },
  };
  return await decodeVideo(child.slot, request, { onProgress });
}

async function readRgb({ file }: DecodedFrame): Promise<{ rgb: Buffer; width: number; height: number }> {
  const { data, info } = await sharp(child.slot.outPath(file)).raw().toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

async function numbersOf(video: VideoWithFrames): Promise<number[]> {
  const numbers: number[] = [];
  for (const frame of video.frames) {
    const { rgb, width, height } = await readRgb(frame);
    numbers.push(readFrameNumber(rgb, width, height));
  }
  return numbers;
}

function firstFrame(video: VideoWithFrames): DecodedFrame {
  const [frame] = video.frames;
  assert.ok(frame !== undefined);
  return frame;
}

/** Largest difference of the four corners' colours to what was painted. */
async function cornerError(frame: DecodedFrame): Promise<number> {
  const { rgb, width, height } = await readRgb(frame);
  // The lower corners lie above the row of squares.
  const places = [0.1, 0.9].flatMap((y) => [0.1, 0.9].map((x) => [x, y === 0.9 ? 0.65 : y] as const));
  const errors = places.flatMap(([x, y], corner) => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
    return [0, 1, 2].map((channel) => Math.abs((rgb[at + channel] ?? 0) - (CORNERS[corner]?.[channel] ?? 0)));
  });
  return Math.max(...errors);
}

test('frames are spread evenly, each the one shown at its time', async () => {
  const video = await decode(makeVideo(PLAIN));
  assert.deepEqual(await numbersOf(video), [5, 15, 25, 35, 45]);
  for (const [index, frame] of video.frames.entries())
    assert.ok(Math.abs(frame.timeSeconds - (5 + index * 10) / 25) < 1e-6, `${frame.timeSeconds}`);
});

test('seeking in a long video finds the same frames', async () => {
  const video = makeVideo({ ...PLAIN, seconds: 100, width: 96, height: 64, keyFrameInterval: 50 });
  const numbers = await numbersOf(await decode(video));
  assert.deepEqual(numbers, [250, 750, 1250, 1750, 2250]);
});

for (const container of ['matroska', 'mpegts', 'avi']) {
  test(`seeking is exact in ${container}`, async () => {
    const recipe = { ...PLAIN, container, seconds: 60, width: 96, height: 64, keyFrameInterval: 50 };
    // AVI cannot carry frames out of order.
    const video = makeVideo({ ...recipe, ...(container === 'avi' ? { encoderOptions: { bf: '0' } } : {}) });
    assert.deepEqual(await numbersOf(await decode(video)), [150, 450, 750, 1050, 1350]);
  });
}

test('a frame that lasts is given once, as the one shown', async () => {
  // Frames 0 to 9 in a tenth of the time, then one every second.
  const timeOf = (index: number) => (index < 10 ? index : 10 + (index - 10) * 25);
  const video = await decode(makeVideo({ ...PLAIN, seconds: 0.6, timeOf }), {
    frames: { method: 'even', countMax: 30 },
  });
  const numbers = await numbersOf(video);
  assert.deepEqual(numbers, [...new Set(numbers)]);
  assert.ok(numbers.includes(12) && numbers.includes(13), String(numbers));
  assert.equal(video.damagedFrames, 0);
});

test('a short video gives each frame once', async () => {
  const video = await decode(makeVideo({ ...PLAIN, seconds: 0.12 }), {
    frames: { method: 'even', countMax: 30 },
  });
  assert.deepEqual(await numbersOf(video), [0, 1, 2]);
  assert.equal(video.damagedFrames, 0);
});

test('key frames are taken without the rest', async () => {
  const bytes = makeVideo({ ...PLAIN, seconds: 4, keyFrameInterval: 10 });
  const all = await decode(bytes, { frames: { method: 'iframes', countMax: 30 } });
  assert.deepEqual(await numbersOf(all), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  const some = await decode(bytes, { frames: { method: 'iframes', countMax: 3 } });
  assert.deepEqual(await numbersOf(some), [10, 50, 80]);
});

test('colour changes are found where the scene changes', async () => {
  const paint = (index: number, rgb: Buffer) => rgb.fill([40, 200, 90, 160][Math.floor(index / 20)] ?? 0);
  const video = await decode(makeVideo({ ...PLAIN, seconds: 3.2, paint }), {
    frames: { method: 'color', countMax: 3 },
  });
  assert.deepEqual(
    video.frames.map(({ timeSeconds }) => Math.round(timeSeconds * 25)),
    [20, 40, 60],
  );
});

test('motion is found where something moves', async () => {
  const paint = (index: number, rgb: Buffer) => {
    rgb.fill(60);
    // A bright square that stands, moves from frame 30 to 45, and stands again.
    const left = 20 + 8 * Math.min(15, Math.max(0, index - 30));
    for (let y = 40; y < 88; y++) rgb.fill(220, (y * 192 + left) * 3, (y * 192 + left + 48) * 3);
  };
  const video = await decode(makeVideo({ ...PLAIN, seconds: 3, paint }), {
    frames: { method: 'flow', countMax: 3 },
  });
  const moving = video.frames.filter(({ timeSeconds }) => timeSeconds * 25 >= 30 && timeSeconds * 25 <= 46);
  assert.ok(moving.length >= 2, JSON.stringify(video.frames.map(({ timeSeconds }) => timeSeconds)));
});

test('upright in the painted colours', async () => {
  const video = await decode(makeVideo(PLAIN), { frames: { method: 'even', countMax: 1 } });
  assert.ok((await cornerError(firstFrame(video))) <= 6);
});

for (const rotation of [90, 180, 270] as const) {
  test(`a picture stored turned by ${rotation} degrees is shown upright`, async () => {
    const [width, height] = rotation === 180 ? [192, 128] : [128, 192];
    const upright = sharp(await paintedRgb(), { raw: { width: 192, height: 128, channels: 3 } });
    const stored = await upright
      .rotate(360 - rotation)
      .raw()
      .toBuffer();
    const bytes = makeVideo({ ...PLAIN, width, height, rotation, paint: (_, rgb) => stored.copy(rgb) });
    const video = await decode(bytes, { frames: { method: 'even', countMax: 1 } });
    assert.deepEqual([video.width, video.height], [192, 128]);
    assert.ok((await cornerError(firstFrame(video))) <= 6);
  });
}

async function paintedRgb(): Promise<Buffer> {
  return (await readRgb(firstFrame(await decode(makeVideo({ ...PLAIN, seconds: 0.04 }))))).rgb;
}

test('pixels that are not square are made square', async () => {
  const video = await decode(makeVideo({ ...PLAIN, pixelAspect: [4, 3] }), {
    frames: { method: 'even', countMax: 1 },
  });
  assert.deepEqual([video.width, video.height], [256, 128]);
  assert.ok((await cornerError(firstFrame(video))) <= 6);
});

for (const transfer of ['pq', 'pq of constant luminance', 'hlg'] as const) {
  test(`high dynamic range (${transfer}) becomes standard`, async () => {
    // Grey at the level of diffuse white: 58 % of PQ's scale, 75 % of HLG's (BT.2408).
    const level = Math.round(255 * (transfer === 'hlg' ? 0.75 : 0.58));
    const recipe = { ...PLAIN, codec: FF_ENCODER_LIBX265, pixelFormat: AV_PIX_FMT_YUV420P10LE, transfer };
    const video = await decode(makeVideo({ ...recipe, paint: (_, rgb) => rgb.fill(level) }));
    const { rgb } = await readRgb(firstFrame(video));
    const [red = 0, green = 0, blue = 0] = rgb;
    assert.ok(red > 130 && red < 250, `${red} is not a bright grey`);
    assert.ok(
      Math.max(red, green, blue) - Math.min(red, green, blue) <= 3,
      `${red} ${green} ${blue} is not grey`,
    );
  });
}

test('fields of an interlaced frame are brought together', async () => {
  // Odd rows are of another moment: a comb of black and white.
  const paint = (_: number, rgb: Buffer) => {
    for (let y = 0; y < 128; y++) rgb.fill(y % 2 === 0 ? 200 : 60, y * 192 * 3, (y + 1) * 192 * 3);
  };
  const bytes = makeVideo({ ...PLAIN, paint, isInterlaced: true, encoderOptions: { qp: '1' } });
  const { rgb } = await readRgb(firstFrame(await decode(bytes)));
  const row = (y: number) => rgb[(y * 192 + 96) * 3] ?? 0;
  assert.ok(Math.abs(row(64) - row(65)) < 40, `rows ${row(64)} and ${row(65)} still form a comb`);
});

test('odd sides survive', async () => {
  const recipe = {
    ...PLAIN,
    container: 'mov',
    codec: 'qtrle' as VideoRecipe['codec'],
    width: 161,
    height: 99,
  };
  const video = await decode(makeVideo({ ...recipe, seconds: 0.4 }));
  assert.deepEqual([video.width, video.height], [161, 99]);
});

test('a frame is a PNG with its hash, and its patches are cut from it', async () => {
  const layout = { size: 64, align: 8, countMax: 4 };
  const patchSets = [{ name: 'origin', variant: 'original', layout } as const];
  const bytes = makeVideo(PLAIN);
  const video = await decode(bytes, { patchSets, frames: { method: 'even', countMax: 2 } });
  for (const [index, frame] of video.frames.entries()) {
    const png = await readFile(child.slot.outPath(frame.file));
    assert.equal(frame.hash, createHash('sha256').update(png).digest('hex'));
    assert.equal(frame.sizeBytes, png.length);
    const [set] = frame.patchSets;
    assert.ok(set !== undefined && frame.patchSets.length === 1);
    assert.deepEqual([set.name, set.file], ['origin', `${index}-origin.rgb`]);
    const patches = await readFile(child.slot.outPath(set.file));
    assert.equal(patches.length, set.positions.length * 64 * 64 * 3);
    const { rgb, width } = await readRgb(frame);
    const { x, y } = set.positions[1] ?? { x: -1, y: -1 };
    const start = (y * width + x) * 3;
    assert.deepEqual(patches.subarray(64 * 64 * 3, 64 * 64 * 3 + 192), rgb.subarray(start, start + 192));
  }
  const again = await decode(bytes, { patchSets, frames: { method: 'even', countMax: 2 } });
  assert.deepEqual(
    again.frames.map(({ hash }) => hash),
    video.frames.map(({ hash }) => hash),
  );
});

test('the track is a FLAC file with its hash, and samples', async () => {
  const bytes = makeVideo({ ...PLAIN, withSound: FF_ENCODER_AAC });
  const { track } = await decode(bytes, { withTrack: true });
  assert.ok(track !== null);
  const flac = await readFile(child.slot.outPath(track.file));
  assert.equal(flac.toString('latin1', 0, 4), 'fLaC');
  assert.equal(track.hash, createHash('sha256').update(flac).digest('hex'));
  assert.deepEqual([track.sound.sampleRate, track.sound.channelCount], [48_000, 2]);
  assert.equal((await decode(bytes, { withTrack: true })).track?.hash, track.hash);
  assert.equal((await decode(bytes)).track, null);
  const short = await decode(bytes, { withTrack: true, soundSecondsMax: 1 });
  assert.ok((short.track?.sound.durationSeconds ?? 9) < 1.2, 'a longer track is cut');
});

/** Where a sound of the model's rate is loud, seconds. */
async function loudSeconds(file: string): Promise<[from: number, to: number]> {
  const bytes = await readFile(child.slot.outPath(file));
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const isLoud = (sample: number) => Math.abs(sample) > 0.1;
  return [samples.findIndex(isLoud) / 16_000, samples.findLastIndex(isLoud) / 16_000];
}

function assertLoud([from, to]: [number, number], expected: [number, number]): void {
  const isThere = Math.abs(from - expected[0]) < 0.06 && Math.abs(to - expected[1]) < 0.06;
  assert.ok(isThere, `loud from ${from} to ${to}, expected ${expected}`);
}

const beep = (at: number) => (at >= 0.5 && at < 1 ? 0.5 * Math.sin(2 * Math.PI * 440 * at) : 0);

const LATE_SOUND: [string, VideoRecipe][] = [
  ['Matroska', { ...PLAIN, container: 'matroska', withSound: FF_ENCODER_PCM_S16LE }],
  ['MP4, by an edit list', { ...PLAIN, withSound: FF_ENCODER_AAC }],
];
for (const [name, recipe] of LATE_SOUND) {
  test(`a track that begins after the picture is heard when players play it: ${name}`, async () => {
    const bytes = makeVideo({ ...recipe, wave: beep, soundTimeOf: (at) => at + 3 });
    const { track } = await decode(bytes, { withTrack: true });
    assert.ok(track !== null);
    assert.ok(Math.abs(track.sound.durationSeconds - 5) < 0.06, `${track.sound.durationSeconds} seconds`);
    assertLoud(await loudSeconds(track.sound.sounds[0]?.file ?? ''), [3.5, 4]);
    await writeFile(join(child.folder, 'track'), await readFile(child.slot.outPath(track.file)));
    await child.slot.clear();
    const input = await child.slot.placeInput(join(child.folder, 'track'));
    const { audio } = await child.slot.request({
      ...{ type: 'decode-audio', input, trust: NO_TRUST, soundSecondsMax: 60 },
    });
    assertLoud(await loudSeconds(audio.sound.sounds[0]?.file ?? ''), [3.5, 4]);
  });
}

test('frames of a picture that begins after its sound have the times at which players show them', async () => {
  const late = { timeOf: (index: number) => index + 50, withSound: FF_ENCODER_PCM_S16LE };
  const bytes = makeVideo({ ...PLAIN, container: 'matroska', ...late, wave: beep });
  for (const method of ['even', 'iframes', 'color'] as const) {
    const video = await decode(bytes, { frames: { method, countMax: 5 }, withTrack: true });
    assert.ok(Math.abs(video.durationSeconds - 4) < 0.1, `${video.durationSeconds} seconds`);
    assert.equal(video.frames.length, 5, method);
    const numbers = await numbersOf(video);
    for (const [index, { timeSeconds }] of video.frames.entries())
      assert.ok(Math.abs(timeSeconds - 2 - (numbers[index] ?? 0) / 25) < 0.002, `${method}: ${timeSeconds}`);
    assertLoud(await loudSeconds(video.track?.sound.sounds[0]?.file ?? ''), [0.5, 1]);
  }
});

test('a file whose data ends early gives the frames that are there', async () => {
  const whole = makeVideo({ ...PLAIN, seconds: 4, muxerOptions: { movflags: 'faststart' } });
  const video = await decode(whole.subarray(0, Math.floor(whole.length * 0.6)));
  assert.ok(video.durationSeconds > 1 && video.durationSeconds < 3.4, `${video.durationSeconds} seconds`);
  assert.ok(video.frames.length >= 4);
});

test('damage inside costs frames, not the video', async () => {
  const whole = makeVideo({ ...PLAIN, seconds: 4, encoderOptions: { x264opts: 'keyint=25' } });
  const start = Math.floor(whole.length * 0.4);
  whole.fill(0x55, start, start + Math.floor(whole.length * 0.2));
  const video = await decode(whole, { frames: { method: 'even', countMax: 10 } });
  assert.ok(video.frames.length >= 5 && video.frames.length + video.damagedFrames <= 10);
});

test('frames larger than allowed are refused with their size', async () => {
  const limits = { ...LIMITS, pixelsMax: 10_000 };
  await assert.rejects(decode(makeVideo(PLAIN), { limits }), /24576 pixels \(192 × 128\); at most 10000/);
});

test('progress counts the finished frames of all', async () => {
  const seen: string[] = [];
  await decode(makeVideo(PLAIN), {}, ({ step, done, total }) => seen.push(`${step} ${done}/${total}`));
  assert.deepEqual(seen, ['frames 0/5', 'frames 1/5', 'frames 2/5', 'frames 3/5', 'frames 4/5']);
});

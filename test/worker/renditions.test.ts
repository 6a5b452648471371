import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  FF_ENCODER_AAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBX264,
  FF_ENCODER_MPEG4,
  FF_ENCODER_PCM_S16BE,
  FF_ENCODER_PCM_S16LE,
} from 'node-av/constants';
import sharp from 'sharp';
import {
  type RenditionFigures,
  type RenditionKind,
  SHEET_FRAMES_MAX,
  STRIP_FRAMES,
  tileLevels,
} from '../../src/domain/media/rendition.ts';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { decodeVideo, LIMITS, type VideoWithFrames } from '../media/decode-fixture.ts';
import { makeSound, makeVideo } from '../media/make-media.ts';
import { makeHeic } from '../media/make-stills.ts';
import { CORNERS, readFrameNumber } from '../media/numbered-frame.ts';
import { patternRgb } from '../media/pictures.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';

const child = new SlotOfFile();

async function place(bytes: Uint8Array): Promise<string> {
  await child.slot.clear();
  return await child.place(bytes);
}

async function render<K extends Exclude<RenditionKind, 'sheet'>>(
  kind: K,
  bytes: Uint8Array,
): Promise<Extract<RenditionFigures, { kind: K }>> {
  const input = await place(bytes);
  const { figures } = await child.slot.request({ type: 'render', input, limits: LIMITS, kind });
  assert.equal(figures.kind, kind);
  return figures as Extract<RenditionFigures, { kind: K }>;
}

function outFile(name: string): Promise<Buffer> {
  return readFile(child.slot.outPath(name));
}

async function colourAt(picture: Buffer, x: number, y: number): Promise<number[]> {
  const pixel = await sharp(picture)
    .extract({ left: x, top: y, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return [...pixel];
}

function assertNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const isNear = expected.every((value, index) => Math.abs(value - (found[index] ?? -1000)) <= tolerance);
  assert.ok(isNear, `found ${found.join()}, expected ${expected.join()}`);
}

function quarters(width: number, height: number): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = CORNERS[(y * 2 < height ? 0 : 2) + (x * 2 < width ? 0 : 1)] ?? [0, 0, 0];
      rgb.set(colour, (y * width + x) * 3);
    }
  }
  return rgb;
}

test('a picture that browsers do not know becomes an upright WebP of its own size', async () => {
  const heic = await makeHeic({ rgb: quarters(320, 192), width: 320, height: 192, steps: [{ irot: 1 }] });
  assert.deepEqual(await render('picture', heic), { kind: 'picture', width: 192, height: 320 });
  const picture = await outFile('picture.webp');
  const { format, width, height } = await sharp(picture).metadata();
  assert.deepEqual([format, width, height], ['webp', 192, 320]);
  // A quarter against the clock brings the right upper corner to the left.
  assertNear(await colourAt(picture, 20, 20), CORNERS[1], 24);
  assertNear(await colourAt(picture, 170, 20), CORNERS[3], 24);
});

test('CMYK and 16 bits are shown in the colours that their numbers mean', async () => {
  const flat = sharp({
    create: { width: 64, height: 48, channels: 3, background: { r: 200, g: 60, b: 50 } },
  });
  const cmyk = await flat.clone().toColourspace('cmyk').withIccProfile('cmyk').tiff().toBuffer();
  await render('picture', cmyk);
  assertNear(await colourAt(await outFile('picture.webp'), 10, 10), [200, 60, 50], 24);
  const deep = await flat.clone().toColourspace('rgb16').png().toBuffer();
  await render('picture', deep);
  assertNear(await colourAt(await outFile('picture.webp'), 10, 10), [200, 60, 50], 4);
});

test('a large picture becomes tiles of every size, which lie where their lengths say', async () => {
  const [width, height] = [5200, 3300];
  const rgb = quarters(width, height);
  const tiff = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .tiff({ compression: 'lzw' })
    .toBuffer();
  const whole = await render('picture', tiff);
  assert.ok(whole.width * whole.height <= 4_000_000 && whole.width * whole.height > 3_990_000);
  const { tileBytes } = await render('tiles', tiff);
  const levels = tileLevels(width, height);
  assert.equal(
    tileBytes.length,
    levels.reduce((sum, { columns, rows }) => sum + columns * rows, 0),
  );
  const bytes = await outFile('tiles.bin');
  assert.equal(
    bytes.length,
    tileBytes.reduce((sum, size) => sum + size, 0),
  );
  const last = await sharp(bytes.subarray(bytes.length - (tileBytes.at(-1) ?? 0))).metadata();
  assert.deepEqual([last.width, last.height], [width % 512, height % 512]);
  const first = bytes.subarray(0, tileBytes[0]);
  const smallest = await sharp(first).metadata();
  assert.deepEqual([smallest.width, smallest.height], [levels[0]?.width, levels[0]?.height]);
  assertNear(await colourAt(first, 10, 10), CORNERS[0], 16);
});

/** Each frame of the film that `even` chooses is the one that the original shows at its time; `timeOf` in seconds. */
async function assertFilmTimes(timeOf: (number: number) => number): Promise<VideoWithFrames> {
  const input = await place(await outFile('film.webm'));
  const frames = { method: 'even', countMax: 8 } as const;
  const decoded = await decodeVideo(child.slot, {
    ...{ type: 'decode-video', input, limits: LIMITS, trust: NO_TRUST, frames, patchSets: [] },
    ...{ withTrack: true, soundSecondsMax: 100, decoder: 'cpu' },
  });
  assert.equal(decoded.mime, 'video/webm');
  for (const frame of decoded.frames) {
    const { data, info } = await sharp(child.slot.outPath(frame.file))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const number = readFrameNumber(data, info.width, info.height);
    assert.ok(Math.abs(frame.timeSeconds - timeOf(number)) < 0.002, `${number} at ${frame.timeSeconds}`);
  }
  return decoded;
}

test('a video that browsers cannot play becomes a WebM at the same times', async () => {
  const timeOf = (index: number): number => (index < 10 ? index : index * 2);
  const video = makeVideo({
    ...{ container: 'matroska', codec: FF_ENCODER_MPEG4, seconds: 2, width: 1110, height: 740, fps: 15 },
    ...{ withSound: FF_ENCODER_AAC, timeOf },
  });
  const { width, height, durationSeconds } = await render('film', video);
  assert.deepEqual([width, height], [1080, 720]);
  assert.ok(Math.abs(durationSeconds - 59 / 15) < 0.1, String(durationSeconds));
  const decoded = await assertFilmTimes((number) => timeOf(number) / 15);
  assert.ok(Math.abs((decoded.track?.sound.durationSeconds ?? 0) - 2) < 0.05);
});

test('an interlaced video keeps its times in its film, which is as good on a busy box', async () => {
  const video = makeVideo({
    ...{ container: 'matroska', codec: FF_ENCODER_LIBX264, seconds: 2, width: 320, height: 240, fps: 10 },
    ...{ isInterlaced: true, withSound: FF_ENCODER_AAC },
  });
  await render('film', video);
  const { length } = await outFile('film.webm');
  await render('film', video);
  assert.equal((await outFile('film.webm')).length, length);
  const { durationSeconds } = await assertFilmTimes((number) => number / 10);
  assert.ok(Math.abs(durationSeconds - 2) < 0.15, String(durationSeconds));
});

test('a film whose picture begins after its sound keeps both where they are', async () => {
  const video = makeVideo({
    ...{ container: 'matroska', codec: FF_ENCODER_MPEG4, seconds: 2, width: 320, height: 240, fps: 10 },
    ...{ withSound: FF_ENCODER_AAC, timeOf: (index) => index + 15 },
  });
  await render('film', video);
  const { durationSeconds, track } = await assertFilmTimes((number) => 1.5 + number / 10);
  assert.ok(Math.abs(durationSeconds - 3.5) < 0.15, String(durationSeconds));
  assert.ok(Math.abs((track?.sound.durationSeconds ?? 0) - 2) < 0.05);
});

test('a turned video stands upright in its film and in its strip', async () => {
  const video = makeVideo({
    ...{
      container: 'mp4',
      codec: FF_ENCODER_LIBX264,
      seconds: 1,
      width: 640,
      height: 360,
      fps: 10,
      rotation: 90,
    },
  });
  const film = await render('film', video);
  assert.deepEqual([film.width, film.height], [360, 640]);
  const strip = await render('strip', video);
  assert.equal(strip.times.length, STRIP_FRAMES);
  assert.deepEqual([strip.width, strip.height], [51, 90]);
  const picture = await outFile('strip.webp');
  const { width, height } = await sharp(picture).metadata();
  assert.deepEqual([width, height], [51 * STRIP_FRAMES, 90]);
  // Clockwise: the left lower corner comes to the left upper one.
  assertNear(await colourAt(picture, 8, 10), CORNERS[2], 40);
  assertNear(await colourAt(picture, 51 * 15 + 42, 10), CORNERS[0], 40);
});

test('a recording becomes Opus, peaks and a spectrum', async () => {
  const wave = (time: number): number => (time < 1 ? 0.05 : 0.8) * Math.sin(2 * Math.PI * 2000 * time);
  const aiff = makeSound({
    container: 'aiff',
    codec: FF_ENCODER_PCM_S16BE,
    seconds: 2,
    rate: 44_100,
    channels: 2,
    wave,
  });
  const { durationSeconds, peaks } = await render('peaks', aiff);
  assert.ok(Math.abs(durationSeconds - 2) < 0.01, String(durationSeconds));
  const quarter = Math.floor(peaks.length / 4);
  assertNear([peaks[quarter] ?? 0, peaks[3 * quarter] ?? 0], [0.05 * 255, 0.8 * 255], 12);
  const { data, info } = await sharp(await outFile('spectrum.webp'))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const strengthAt = (row: number): number =>
    data[(row * info.width + Math.floor(info.width * 0.75)) * 4 + 3] ?? 0;
  // 2 kHz of 8 kHz: a quarter from below.
  assert.ok(
    strengthAt(96) > 220 && strengthAt(20) < strengthAt(96) - 60,
    `${strengthAt(96)} ${strengthAt(20)}`,
  );
  const paused = makeSound({
    ...{ container: 'matroska', codec: FF_ENCODER_PCM_S16LE, seconds: 2, rate: 48_000, channels: 1, wave },
    timeOf: (at) => (at >= 1 ? at + 2 : at),
  });
  const late = await render('peaks', paused);
  assert.ok(Math.abs(late.durationSeconds - 4) < 0.01, String(late.durationSeconds));
  const eighth = Math.floor(late.peaks.length / 8);
  const peaksAt = [1, 4, 7].map((place) => late.peaks[place * eighth] ?? -1);
  assertNear(peaksAt, [0.05 * 255, 0, 0.8 * 255], 12);
  const sound = await render('sound', aiff);
  assert.ok(Math.abs(sound.durationSeconds - 2) < 0.01);
  const again = await render('peaks', await outFile('sound.webm'));
  assert.ok(Math.abs(again.durationSeconds - 2) < 0.03, String(again.durationSeconds));
});

test('the rendition of a recording goes on past a restart of its clock', async () => {
  const piece = { container: 'ogg', codec: FF_ENCODER_FLAC, seconds: 2, rate: 48_000, channels: 1 };
  const late = makeSound({ ...piece, timeOf: (at) => at + 100 });
  await render('sound', Buffer.concat([late, makeSound(piece)]));
  const { durationSeconds } = await render('peaks', await outFile('sound.webm'));
  assert.ok(Math.abs(durationSeconds - 4) < 0.1, String(durationSeconds));
});

test('a file that cannot be shown is refused in words, and the child goes on', async () => {
  const picture = await sharp(patternRgb(64, 64), { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer();
  await assert.rejects(render('film', picture), /the file is a PNG picture; accepted are MP4/);
  await assert.rejects(render('picture', picture.subarray(0, 300)), /PNG data/);
  assert.equal((await render('picture', picture)).width, 64);
});

const SHEET_SIDES = { width: 1280, height: 720 };

function drawSheet(probabilities: readonly (number | null)[], pictures: readonly Buffer[]) {
  return async (sides = SHEET_SIDES): Promise<Extract<RenditionFigures, { kind: 'sheet' }>> => {
    await child.slot.clear();
    const frames = [];
    for (const [index, probability] of probabilities.entries()) {
      const path = join(child.folder, `frame-${index}`);
      writeFileSync(path, pictures[index % pictures.length] ?? '');
      const input = await child.slot.placeInput(path, { name: `frame-${index}` });
      frames.push({ input, timeSeconds: index * 4.2 + 2.1, probability });
    }
    const facts = { hash: '0123456789abcdef'.repeat(4), durationSeconds: 126, ...sides };
    const { figures } = await child.slot.request({ type: 'draw-sheet', limits: LIMITS, ...facts, frames });
    assert.equal(figures.kind, 'sheet');
    return figures as Extract<RenditionFigures, { kind: 'sheet' }>;
  };
}

test('a contact sheet has each frame where it says, marks the most suspicious, and is the same every time', async () => {
  const colours = ['#a02020', '#20a020', '#2020a0'];
  const plain = colours.map((background) =>
    sharp({ create: { ...SHEET_SIDES, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  const draw = drawSheet([0.1, 0.93, null, 0.93, 0.5, 0.2], await Promise.all(plain));
  const figures = await draw();
  const sheet = await outFile('sheet.png');
  const { format, width, height } = await sharp(sheet).metadata();
  assert.deepEqual([format, width, height], ['png', figures.width, figures.height]);
  const middles = [];
  const edges = [];
  for (const { left, top, width, height } of figures.frames) {
    middles.push(await colourAt(sheet, left + width / 2, top + height / 2));
    edges.push(await colourAt(sheet, left - 2, top + height / 2));
  }
  const [red, green, blue] = [
    [160, 32, 32],
    [32, 160, 32],
    [32, 32, 160],
  ];
  assert.deepEqual(middles, [red, green, blue, red, green, blue]);
  const [dark, mark] = [
    [24, 24, 24],
    [255, 196, 0],
  ];
  assert.deepEqual(edges, [dark, mark, dark, dark, dark, dark], 'the first of equals');
  assert.equal(figures.frames[5]?.left, figures.frames[0]?.left, 'the sixth begins a row');
  await draw();
  assert.deepEqual(await outFile('sheet.png'), sheet);
});

test('the largest contact sheet, of squares, has some four megapixels; a narrow film and one frame find room', async () => {
  const square = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
  const { width, height, frames } = await drawSheet(Array(SHEET_FRAMES_MAX).fill(0.5), [square])({
    ...{ width: 64, height: 64 },
  });
  assert.equal(frames.length, SHEET_FRAMES_MAX);
  assert.ok(width * height < 4_500_000, `${width} × ${height}`);
  for (const sides of [
    { width: 8000, height: 20 },
    { width: 20, height: 8000 },
  ]) {
    const one = await drawSheet([null], [square])(sides);
    const [place] = one.frames;
    assert.ok(place !== undefined && place.left + place.width <= one.width);
    assert.ok(place.top + place.height < one.height);
  }
});

test('a thumbnail is small and upright, of a picture and of a film a third in', async () => {
  const sideways = await sharp(patternRgb(600, 400), { raw: { width: 600, height: 400, channels: 3 } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const ofPicture = await render('thumbnail', sideways);
  assert.deepEqual([ofPicture.width, ofPicture.height], [213, 320]);
  const film = makeVideo({
    ...{ container: 'mp4', codec: FF_ENCODER_LIBX264, seconds: 3, fps: 10, width: 640, height: 360 },
  });
  const ofFilm = await render('thumbnail', film);
  assert.deepEqual([ofFilm.width, ofFilm.height], [320, 180]);
  const shown = await sharp(await outFile('thumbnail.webp')).metadata();
  assert.deepEqual([shown.format, shown.width, shown.height], ['webp', 320, 180]);
  // By its first bytes a sound.
  film.write('M4A ', 8);
  assert.equal((await render('thumbnail', film)).width, 320);
  const larger = await render(
    'thumbnail',
    await sharp({ create: { width: 40, height: 30, channels: 3, background: '#123' } })
      .png()
      .toBuffer(),
  );
  assert.deepEqual([larger.width, larger.height], [40, 30], 'a small picture is not made larger');
});

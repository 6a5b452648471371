import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_MPEG4,
  FF_ENCODER_PCM_S16BE,
  FF_ENCODER_PCM_S16LE,
} from 'node-av/constants';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { makeSound, makeVideo, type VideoRecipe } from '../media/make-media.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeVoice } from '../media/voice.ts';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { classify, type DeskDaemon, makeRecording, startDesk } from './desk-daemon.ts';

let daemon: DeskDaemon;
let browser: TestBrowser;

before(async () => {
  daemon = await startDesk({ models: 'tiny' });
  browser = await TestBrowser.start();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

const SHOWN = 'You see a rendition';

async function openResult(desk: Desk, identifier: string): Promise<Page> {
  await signIn(desk);
  await desk.page.goto(`/classifications/${identifier}`);
  await desk.page.getByRole('region', { name: 'Verdict' }).waitFor();
  return desk.page;
}

test('a TIFF is seen as a rendition of its own size, and can be downloaded itself', async () => {
  const raw = { width: 420, height: 300, channels: 3 } as const;
  const tiff = await sharp(patternRgb(420, 300), { raw }).tiff().toBuffer();
  const identifier = await classify(daemon.http, 'image', tiff, 'scan.tif');
  await using desk = await browser.open(daemon.http);
  const page = await openResult(desk, identifier);
  await page.getByText(SHOWN).waitFor();
  const sides = await page.getByRole('img', { name: 'scan.tif' }).evaluate(async (image) => {
    if (!(image instanceof HTMLImageElement)) return [];
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  });
  assert.deepEqual(sides, [420, 300]);
  const link = page.getByRole('link', { name: 'Download the file itself' });
  assert.equal(await link.getAttribute('href'), `/media/${identifier}/original`);
  assert.deepEqual(desk.faults, []);
});

test('a large TIFF is seen in tiles where somebody looks closely', async () => {
  const [width, height] = [5000, 3400];
  const raw = { width, height, channels: 3 } as const;
  const tiff = await sharp(Buffer.alloc(width * height * 3, 120), { raw })
    .composite([
      {
        input: { create: { width: 900, height: 700, channels: 3, background: '#b32' } },
        left: 2050,
        top: 1350,
      },
    ])
    .tiff({ compression: 'lzw' })
    .toBuffer();
  const identifier = await classify(daemon.http, 'image', tiff, 'poster.tif');
  await using desk = await browser.open(daemon.http);
  const page = await openResult(desk, identifier);
  await page.getByText(SHOWN).waitFor();
  assert.equal(await page.locator('.tiles img').count(), 0);
  for (let press = 0; press < 6; press += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.locator('.tiles img').first().waitFor();
  await page.waitForFunction(() => {
    const tiles = [...document.querySelectorAll<HTMLImageElement>('.tiles img')];
    return tiles.length > 0 && tiles.every(({ naturalWidth }) => naturalWidth > 0);
  });
  const found = await page.locator('.tiles img').count();
  assert.ok(found > 3 && found < 70, `${found} of 70 tiles are loaded`);
  assert.deepEqual(desk.faults, []);
});

test('a video that this browser cannot play is played as a rendition, along a strip of its pictures', async () => {
  const bright = Buffer.from(patternRgb(480, 360).map((value) => 128 + value / 2));
  const film = makeVideo({
    ...{ container: 'matroska', codec: FF_ENCODER_MPEG4, seconds: 4, width: 480, height: 360, fps: 10 },
    // The image models say nothing on frames of flat colours, and bright ones lean to an artificial origin.
    paint: (_index, rgb) => void bright.copy(rgb),
  });
  const identifier = await classify(daemon.http, 'video', film, 'street.mkv');
  await using desk = await browser.open(daemon.http);
  const page = await openResult(desk, identifier);
  await page.getByText(SHOWN).waitFor();
  await page.waitForFunction(() => {
    const player = document.querySelector('video');
    return player !== null && player.videoWidth === 480 && player.src.endsWith('/rendition/film.webm');
  });
  const seconds = await page.evaluate(() => document.querySelector('video')?.duration ?? 0);
  assert.ok(Math.abs(seconds - 4) < 0.15, `${seconds} seconds`);
  await page.getByRole('img', { name: '16 pictures from the whole film' }).waitFor();
  await page.getByRole('button', { name: 'Go to 0:03' }).first().click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 2.5);
  await goToSuspiciousMoment(page);
  await page.getByText('Contact sheet', { exact: true }).click();
  const sheet = page.getByRole('img', { name: /^Analysed frames in order/ });
  await sheet.waitFor();
  const width = await sheet.evaluate(async (image) => {
    if (!(image instanceof HTMLImageElement)) return 0;
    await image.decode();
    return image.naturalWidth;
  });
  assert.ok(width > 500, `${width} pixels`);
  const link = page.getByRole('link', { name: 'Download the contact sheet' });
  assert.equal(await link.getAttribute('href'), `/media/${identifier}/rendition/sheet.png`);
  assert.deepEqual(desk.faults, []);
});

/** Presses the button by keyboard; the player then stands at the second that the button names. */
async function goToSuspiciousMoment(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Most suspicious moment: \d:\d\d$/ });
  const [, second = ''] = /0:(\d\d)/.exec((await button.textContent()) ?? '') ?? [];
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((wanted) => {
    const player = document.querySelector('video');
    return player !== null && Math.floor(player.currentTime) === wanted;
  }, Number(second));
}

test('a recording has a waveform and a spectrum that this browser did not have to decode', async () => {
  const identifier = await classify(daemon.http, 'audio', makeRecording(6), 'interview.flac');
  await using desk = await browser.open(daemon.http);
  const asked: string[] = [];
  desk.page.on('request', (request) =>
    asked.push(`${request.resourceType()} ${new URL(request.url()).pathname}`),
  );
  const page = await openResult(desk, identifier);
  await page.waitForFunction(
    () => document.querySelector('.wave canvas')?.getAttribute('aria-busy') === 'false',
  );
  const inked = await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.wave canvas');
    const { data } = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
      data: [],
    };
    return Array.from(data).filter((value, index) => index % 4 === 3 && value > 0).length;
  });
  assert.ok(inked > 2000, `${inked} pixels are inked`);
  await page.getByRole('img', { name: 'Spectrogram' }).waitFor();
  await page.waitForFunction(() => {
    const spectrum = document.querySelector('.spectrum');
    return spectrum !== null && getComputedStyle(spectrum).maskImage.includes('/rendition/spectrum.webp');
  });
  assert.ok(!asked.includes(`fetch /media/${identifier}/original`), asked.join('\n'));
  assert.equal(await page.getByText(SHOWN).count(), 0);
  assert.deepEqual(desk.faults, []);
});

test('a recording that no browser plays is heard as a rendition', async () => {
  const voice = makeVoice({ seconds: 5, sampleRate: 44_100, amplitude: 0.4 });
  const wave = (time: number): number => voice[Math.floor(time * 44_100)] ?? 0;
  const recipe = { seconds: 5, rate: 44_100, channels: 1, wave };
  const aiff = makeSound({ container: 'aiff', codec: FF_ENCODER_PCM_S16BE, ...recipe });
  const identifier = await classify(daemon.http, 'audio', aiff, 'interview.aiff');
  await using desk = await browser.open(daemon.http);
  const page = await openResult(desk, identifier);
  await page.getByText(SHOWN).waitFor();
  await page.waitForFunction(() => Math.abs((document.querySelector('audio')?.duration ?? 0) - 5) < 0.2);
  assert.deepEqual(desk.faults, []);
});

const FILM = { container: 'matroska', codec: FF_ENCODER_LIBVPX_VP8, width: 480, height: 360, fps: 5 };

/** Picture and sound of four seconds each, laid in time by the recipe. */
async function openFilm({ page }: Desk, recipe: Partial<VideoRecipe>): Promise<void> {
  const voice = makeVoice({ seconds: 4, sampleRate: 48_000, amplitude: 0.4 });
  const wave = (at: number): number => voice[Math.floor(at * 48_000)] ?? 0;
  const film = makeVideo({ ...FILM, seconds: 4, withSound: FF_ENCODER_PCM_S16LE, wave, ...recipe });
  const identifier = await classify(daemon.http, 'video', film, 'talk.mkv', { with_audio: 'true' });
  await page.goto(`/classifications/${identifier}`);
  await page.locator('.wave canvas[aria-busy=false]').waitFor();
  await page.locator('.film-strip img').waitFor();
  await page.locator('.clip').first().waitFor();
}

/** The share of an element's width in that of the whole. */
async function shareOf({ page }: Desk, part: string, whole: string): Promise<number> {
  const [inner, outer] = [page.locator(part).last(), page.locator(whole).first()];
  return ((await inner.boundingBox())?.width ?? 0) / ((await outer.boundingBox())?.width ?? 0);
}

test('sound and picture of a film are shown under each other, whichever ends first', async () => {
  await using desk = await browser.open(daemon.http);
  await signIn(desk);
  await openFilm(desk, { timeOf: (index) => index * 2 });
  const wave = await shareOf(desk, '.wave canvas', '.wave');
  assert.ok(wave > 0.48 && wave < 0.54, `sound of four seconds under a picture of eight: ${wave}`);

  await openFilm(desk, { soundTimeOf: (at) => at + 2 });
  const picture = await shareOf(desk, '.film-strip img', '.film-strip');
  assert.ok(picture > 0.63 && picture < 0.7, `a picture of four seconds over sound of six: ${picture}`);
  const lane = await desk.page.locator('.clips').first().boundingBox();
  const clip = await desk.page.locator('.clip').last().boundingBox();
  assert.ok(lane !== null && clip !== null);
  assert.ok(Math.abs(clip.x + clip.width - lane.x - lane.width) < 3, 'the last clip ends with the lane');
});

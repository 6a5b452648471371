/** How soon a person sees something: the list of ten thousand records, and a video's result with thirty frames. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Store } from '../../src/store/store.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { ADMIN, type Desk, signIn, TestBrowser } from '../../test/page/browser.ts';
import { classify, makeFilm } from '../../test/page/desk-daemon.ts';
import { seedRecords } from '../../test/seeded-records.ts';
import { type Row, RUNS } from '../row.ts';

const RECORDS = 10_000;
const FRAMES = 30;
const FILM_SECONDS = 31;
const SCROLLED_ROWS = 500;
const ROW_PIXELS = 76;
/** The page runs as slowly as on a telephone of some years ago. */
const THROTTLE = 4;

export async function measurePage(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-page-'));
  const env = { ASSAY_ADMIN_EMAIL: ADMIN.email, ASSAY_ADMIN_PASSWORD: ADMIN.password };
  try {
    await (await TestDaemon.start({ folder, env, awaitReady: false }))[Symbol.asyncDispose]();
    {
      await using store = await Store.open({ folder });
      await seedRecords(store, RECORDS, (index) => ({ name: `picture-${index}.png`, probability: 0.05 }));
    }
    await using daemon = await TestDaemon.start({ folder, env });
    return await measureIn(daemon);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(daemon: TestDaemon): Promise<Row[]> {
  const film = await classify(daemon.http, 'video', makeFilm(FILM_SECONDS), 'film.webm', { frames: FRAMES });
  await using browser = await TestBrowser.start();
  await using desk = await browser.open(daemon.http);
  await signIn(desk);
  const [list, ready, scroll]: [number[], number[], number[]] = [[], [], []];
  const [search, result]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    list.push(await timeOf(() => openList(desk.page)));
    ready.push(await timeOf(() => useList(desk)));
    scroll.push(await timeOf(() => scrollDown(desk.page)));
    search.push(await timeOf(() => searchFor(desk.page)));
    result.push(await timeOf(() => openResult(desk.page, film)));
  }
  const row = { unit: 'ms', better: 'lower' } as const;
  return [
    { ...row, name: `page: list of ${RECORDS} records, from the address to its rows`, runs: list },
    {
      ...row,
      name: `page: the list on a core throttled ${THROTTLE} times, until a key moves in it`,
      runs: ready,
    },
    { ...row, name: `page: scrolled through ${SCROLLED_ROWS} of them, pages loaded`, runs: scroll },
    { ...row, name: 'page: a name among the oldest of them, from the last letter', runs: search },
    { ...row, name: `page: result of a video with ${FRAMES} frames`, runs: result },
  ];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function openList(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('list', { name: 'Records' }).getByRole('listitem').nth(5).waitFor();
}

/** Interactive: the rows stand, and the page answers a key. */
async function useList({ page, context }: Desk): Promise<void> {
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
  try {
    await openList(page);
    await page.keyboard.press('j');
    await page.waitForFunction(() => document.activeElement?.closest('.row') !== null);
  } finally {
    await debug.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await debug.detach();
  }
}

async function scrollDown(page: Page): Promise<void> {
  const wanted = SCROLLED_ROWS * ROW_PIXELS;
  await page.waitForFunction((height) => {
    scrollTo({ top: document.documentElement.scrollHeight });
    return document.documentElement.scrollHeight >= height;
  }, wanted);
}

async function searchFor(page: Page): Promise<void> {
  await page.getByLabel('Name, reference, hash or identifier').fill('picture-17.png');
  await page.getByRole('link', { name: 'picture-17.png' }).waitFor();
}

async function openResult(page: Page, identifier: string): Promise<void> {
  await page.goto(`/classifications/${identifier}`);
  await page
    .getByRole('list', { name: 'Frames' })
    .getByRole('button')
    .nth(FRAMES - 1)
    .waitFor();
  // What lies below is loaded when it is scrolled to.
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete),
  );
}

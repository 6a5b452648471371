/** Every page in both languages, light and dark: axe-core finds nothing, nothing is too wide, the keyboard reaches all. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Desk, findFaults, signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, startDesk } from './desk-daemon.ts';
import { fillDesk, type ShownPage } from './pages.ts';

const DESK = { width: 1280, height: 860 };
const NARROW = { width: 1024, height: 768 };
const PHONE = { width: 390, height: 844 };
/** More than any page has before it comes round to the first again. */
const TABS_MAX = 400;
/** A field for a day has stops of its own: day, month, year and the calendar. */
const STOPS_MAX = 6;

let daemon: DeskDaemon;
let browser: TestBrowser;
let pages: ShownPage[];

before(async () => {
  daemon = await startDesk({ models: 'tiny', env: { ASSAY_REGISTRATION_OPEN: 'true' } });
  browser = await TestBrowser.start();
  pages = await fillDesk(daemon);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

/** By the page's own router: only the first page of a visit is loaded from nothing. */
async function show({ page }: Desk, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path);
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.loading') === null);
}

async function widthBeyond({ page }: Desk): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

/** A table scrolls within its frame: a cell that does not wrap would push the buttons of its row out of sight. */
async function findCutTables({ page }: Desk): Promise<string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll('.table')]
      .filter((frame) => frame.scrollWidth > frame.clientWidth + 1)
      .map((frame) => `the table “${frame.querySelector('caption')?.textContent}” is cut off`),
  );
}

/** The row of a picture's layers wraps: none is out of sight. */
async function findCutLayers({ page }: Desk): Promise<string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll('.picture-controls button')]
      .filter((button) => {
        const { left, right } = button.getBoundingClientRect();
        const row = button.closest('fieldset');
        return left < 0 || right > innerWidth || (row !== null && row.scrollWidth > row.clientWidth);
      })
      .map((button) => `the layer “${button.textContent}” is cut off at ${innerWidth} pixels`),
  );
}

/** In this order, since a browser lays out anew for each. */
async function findWide(desk: Desk): Promise<string[]> {
  const { page } = desk;
  const wide = await findCutLayers(desk);
  const note = (what: string, beyond: number) =>
    beyond > 0 && wide.push(`${beyond} pixels wider than ${what}`);
  await page.setViewportSize(NARROW);
  note('1,024 pixels', await widthBeyond(desk));
  wide.push(...(await findCutLayers(desk)));
  wide.push(...(await findCutTables(desk)));
  await page.setViewportSize(PHONE);
  note('a phone', await widthBeyond(desk));
  wide.push(...(await findCutLayers(desk)));
  wide.push(...(await findCutTables(desk)).map((fault) => `on a phone ${fault}`));
  await page.setViewportSize(DESK);
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
  note('a window with letters of 200 %', await widthBeyond(desk));
  wide.push(...(await findCutLayers(desk)));
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  return wide;
}

/** What stays the same in the dark was looked at in the light. */
async function look(desk: Desk, { path, name }: ShownPage): Promise<string[]> {
  await show(desk, path);
  const found = await findFaults(desk);
  await desk.page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findFaults(desk, { runOnly: { type: 'rule', values: ['color-contrast'] } });
  await desk.page.emulateMedia({ colorScheme: 'light' });
  found.push(...dark.map((fault) => `dark: ${fault}`), ...(await findWide(desk)));
  return found.map((fault) => `${name}: ${fault}`);
}

for (const language of ['en', 'it']) {
  test(`no page has a fault in ${language}, light or dark, narrow or with large letters`, async () => {
    const faults: string[] = [];
    for (const isSignedIn of [false, true]) {
      await using desk = await browser.open(daemon.http, { viewport: DESK });
      const { page } = desk;
      if (isSignedIn) await signIn(desk);
      else await page.goto('/');
      await page.evaluate((chosen) => localStorage.setItem('assay.language', chosen), language);
      await page.reload();
      await page.locator('h1').first().waitFor();
      for (const shown of pages.filter((one) => one.isSignedIn === isSignedIn)) {
        faults.push(...(await look(desk, shown)));
      }
      faults.push(...desk.faults);
    }
    assert.deepEqual(faults, []);
  });
}

test('Tab reaches everything that can be pressed, on the list, a result and a page of the operator', async () => {
  await using desk = await browser.open(daemon.http, { viewport: DESK });
  const { page } = desk;
  await signIn(desk);
  const looked = ['records', 'result-image', 'appliance'];
  for (const { path, name } of pages.filter((one) => looked.includes(one.name))) {
    await show(desk, path);
    const wanted = await page.evaluate(() => {
      const pressable = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary';
      return [...document.querySelectorAll<HTMLElement>(pressable)].filter(
        (one) => one.tabIndex >= 0 && one.checkVisibility(),
      ).length;
    });
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
    });
    const reached = await page.evaluateHandle(() => new Set<Element>());
    for (let tab = 0, again = 0; tab < TABS_MAX && again < STOPS_MAX; tab += 1) {
      await page.keyboard.press('Tab');
      const isNew = await reached.evaluate((seen) => {
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body || seen.has(activeElement))
          return false;
        seen.add(activeElement);
        return true;
      });
      again = isNew ? 0 : again + 1;
    }
    const count = await reached.evaluate((seen) => seen.size);
    assert.ok(count >= wanted, `${name}: ${count} of ${wanted} are reached`);
  }
  assert.deepEqual(desk.faults, []);
});

test('a video shows its shots and frames, and a recording its clips', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await show(desk, pages.find(({ name }) => name === 'result-video')?.path ?? '');
  await page.getByRole('list', { name: 'Frames' }).getByRole('button').nth(3).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0);
  const shots = page.getByRole('list', { name: 'Shots' }).getByRole('button');
  assert.equal(await shots.count(), 2);
  await shots.nth(1).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 4);
  await show(desk, pages.find(({ name }) => name === 'result-audio')?.path ?? '');
  await page.getByRole('img', { name: 'Waveform' }).waitFor();
  assert.ok((await page.getByRole('button', { name: /chance of AI$/ }).count()) > 1);
  assert.deepEqual(desk.faults, []);
});

/** Pictures of every page in light and dark, on a phone and in Italian: `node test/page/screenshots.ts FOLDER`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { startDesk } from './desk-daemon.ts';
import { fillDesk, type ShownPage } from './pages.ts';

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

async function shoot({ page }: Desk, { path }: ShownPage, file: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: file, fullPage: true });
}

const folder = process.argv[2] ?? join('docs', 'screenshots');
const wanted = process.argv.slice(3);
await mkdir(folder, { recursive: true });
await using daemon = await startDesk({ ASSAY_REGISTRATION_OPEN: 'true' });
await using browser = await TestBrowser.start();
const pages = (await fillDesk(daemon)).filter(({ name }) => wanted.length === 0 || wanted.includes(name));
for (const isSignedIn of [false, true]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using desk = await browser.open(daemon.http, { colorScheme, viewport: DESK });
    if (isSignedIn) await signIn(desk);
    for (const shown of pages.filter((page) => page.isSignedIn === isSignedIn)) {
      await shoot(desk, shown, join(folder, `${shown.name}-${colorScheme}.png`));
    }
  }
}
const signedIn = pages.filter(({ isSignedIn }) => isSignedIn);
await using phone = await browser.open(daemon.http, { viewport: PHONE });
await signIn(phone);
for (const shown of signedIn) await shoot(phone, shown, join(folder, `${shown.name}-phone.png`));
await using italian = await browser.open(daemon.http, { viewport: DESK });
await signIn(italian);
await italian.page.evaluate(() => localStorage.setItem('assay.language', 'it'));
for (const shown of signedIn) await shoot(italian, shown, join(folder, `${shown.name}-it.png`));

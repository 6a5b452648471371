/** Pictures of every page: `npm run screenshots -- FOLDER [PAGE…]`, or `-- --docs` for those of docs/dashboard.md. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, startDesk } from './desk-daemon.ts';
import { fillDesk, type ShownPage } from './pages.ts';

const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
const DOCS_FOLDER = join('docs', 'pages');
const DOCS_WIDTH = 960;
const DOCS_QUALITY = 60;

async function shoot({ page }: Desk, { path }: ShownPage, isFull = true): Promise<Buffer> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  return await page.screenshot({ fullPage: isFull });
}

async function keep(picture: Buffer, file: string): Promise<void> {
  await sharp(picture).png().toFile(file);
}

async function shootForDocs(daemon: DeskDaemon, browser: TestBrowser, pages: ShownPage[]): Promise<void> {
  await mkdir(DOCS_FOLDER, { recursive: true });
  await using desk = await browser.open(daemon.http, { viewport: DESK });
  await signIn(desk);
  for (const shown of pages.filter(({ isSignedIn }) => isSignedIn)) {
    await sharp(await shoot(desk, shown, false))
      .resize({ width: DOCS_WIDTH })
      .webp({ quality: DOCS_QUALITY, effort: 6 })
      .toFile(join(DOCS_FOLDER, `${shown.name}.webp`));
  }
}

async function shootAll(
  daemon: DeskDaemon,
  browser: TestBrowser,
  { pages, folder }: { pages: ShownPage[]; folder: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const isSignedIn of [false, true]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using desk = await browser.open(daemon.http, { colorScheme, viewport: DESK });
      if (isSignedIn) await signIn(desk);
      for (const shown of pages.filter((page) => page.isSignedIn === isSignedIn)) {
        await keep(await shoot(desk, shown), join(folder, `${shown.name}-${colorScheme}.png`));
      }
    }
  }
  const signedIn = pages.filter(({ isSignedIn }) => isSignedIn);
  await using phone = await browser.open(daemon.http, { viewport: PHONE });
  await signIn(phone);
  for (const shown of signedIn)
    await keep(await shoot(phone, shown), join(folder, `${shown.name}-phone.png`));
  await using italian = await browser.open(daemon.http, { viewport: DESK });
  await signIn(italian);
  await italian.page.evaluate(() => localStorage.setItem('assay.language', 'it'));
  for (const shown of signedIn) await keep(await shoot(italian, shown), join(folder, `${shown.name}-it.png`));
}

const [first, ...wanted] = process.argv.slice(2);
await using daemon = await startDesk({ env: { ASSAY_REGISTRATION_OPEN: 'true' } });
await using browser = await TestBrowser.start();
const all = await fillDesk(daemon, { ofOthers: first !== '--docs' });
const pages = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (first === '--docs') await shootForDocs(daemon, browser, pages);
else await shootAll(daemon, browser, { pages, folder: first ?? join('docs', 'screenshots') });

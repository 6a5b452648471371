/**
 * axe-core on every page in light and dark and on a phone's width: no serious finding, no breach of the policy.
 *
 * Invariant: the page works in a browser, without a serious accessibility finding or a CSP violation.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { type Desk, signIn, TestBrowser } from './browser.ts';
import { type DeskDaemon, startDesk } from './desk-daemon.ts';
import { fillDesk, type ShownPage } from './pages.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { width: 390, height: 844 };

let daemon: DeskDaemon;
let browser: TestBrowser;
let pages: ShownPage[];

before(async () => {
  daemon = await startDesk({ ASSAY_REGISTRATION_OPEN: 'true' });
  browser = await TestBrowser.start();
  pages = await fillDesk(daemon);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

interface AxeResult {
  violations: {
    id: string;
    impact: string;
    help: string;
    nodes: { target: string[]; failureSummary: string }[];
  }[];
}

/** Evaluated by the debugger, which the page's policy does not bind. */
async function findSerious({ page }: Desk): Promise<string[]> {
  await page.evaluate(AXE);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const result = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`)) as AxeResult;
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help} (${nodes
          .map(({ target }) => target.join(' '))
          .slice(0, 4)
          .join('; ')})`,
    );
}

async function settle({ page }: Desk, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function widthBeyond({ page }: Desk): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has a serious finding in ${colorScheme}`, async () => {
    const findings: string[] = [];
    for (const isSignedIn of [false, true]) {
      await using desk = await browser.open(daemon.http, { colorScheme });
      if (isSignedIn) await signIn(desk);
      for (const { name, path } of pages.filter((page) => page.isSignedIn === isSignedIn)) {
        await settle(desk, path);
        findings.push(...(await findSerious(desk)).map((finding) => `${name}: ${finding}`));
      }
      findings.push(...desk.faults);
    }
    assert.deepEqual(findings, []);
  });
}

test('nothing is wider than a phone', async () => {
  await using desk = await browser.open(daemon.http, { viewport: PHONE });
  await signIn(desk);
  const wide: string[] = [];
  for (const { name, path } of pages.filter(({ isSignedIn }) => isSignedIn)) {
    await settle(desk, path);
    const beyond = await widthBeyond(desk);
    if (beyond > 0) wide.push(`${name}: ${beyond} pixels`);
  }
  assert.deepEqual(wide, []);
});

test('a video shows its frames and a recording its clips', async () => {
  await using desk = await browser.open(daemon.http);
  const { page } = desk;
  await signIn(desk);
  await settle(desk, pages.find(({ name }) => name === 'result-video')?.path ?? '');
  await page.getByRole('list', { name: 'Frames' }).getByRole('button').nth(3).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0);
  await settle(desk, pages.find(({ name }) => name === 'result-audio')?.path ?? '');
  await page.getByRole('img', { name: 'Waveform' }).waitFor();
  assert.ok((await page.getByRole('button', { name: /artificial$/ }).count()) > 1);
  assert.deepEqual(desk.faults, []);
});

/** A real Chromium from npm, and pages in it that note every breach of the content policy and every script error. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import sparticuz from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';
import { SharedResource } from '../runner/shared-resource.ts';

/** Not the package's own arguments, which turn web security off. The sandbox needs rights that a container does not give. */
const ARGUMENTS = ['--headless=shell', '--no-sandbox', '--disable-gpu', '--mute-audio'];

export interface Desk extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Breaches of the policy, errors of scripts and failed loads, in words. */
  faults: string[];
}

const chromiums = new SharedResource(async (): Promise<Browser> => {
  const executablePath = await sparticuz.executablePath();
  return await chromium.launch({ executablePath, args: ARGUMENTS, headless: true });
});

export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    return new TestBrowser(await chromiums.take());
  }

  /** A browser of its own in all but the process: no cookie is shared. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Desk> {
    const context = await this.#browser.newContext({ baseURL: url, locale: 'en-GB', ...options });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        setTimeout(() => {
          throw new Error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
        });
      });
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('status of 4')) faults.push(message.text());
    });
    return { page, context, faults, [Symbol.asyncDispose]: () => context.close() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    chromiums.leave();
  }
}

export const ADMIN = { email: 'desk@example.org', password: 'correct horse battery' };

export async function signIn({ page }: Desk, { email, password } = ADMIN): Promise<void> {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Records' }).waitFor();
}

const TABS_MAX = 40;

export async function tabTo({ page }: Desk, text: string): Promise<void> {
  for (let tab = 0; tab < TABS_MAX; tab += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.textContent)) === text) return;
  }
  assert.fail(`no Tab leads to ${text}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[] }[] }[];
}

/** Evaluated by the debugger, which the page's policy does not bind. */
export async function findFaults({ page }: Desk, run: object = { runOnly: TAGS }): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const result = (await page.evaluate(`axe.run(${JSON.stringify(run)})`)) as AxeResult;
  return result.violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target }) => target.join(' ')).slice(0, 4);
    return `${id}: ${help} (${places.join('; ')})`;
  });
}

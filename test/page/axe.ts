/** axe-core in a page of the test browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Desk } from './browser.ts';

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

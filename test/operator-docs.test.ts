/** Documents say it in one word each, and what operators import names figures that the daemon really has, and states that it really counts. */
import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Metrics } from '../src/machinery/metrics.ts';
import { openBox } from './app/open-box.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
/** Prometheus' own suffixes of a histogram. */
const SUFFIX = /_(bucket|sum|count)$/;

for (const file of ['grafana-dashboard.json', 'alerts.yml', 'backup.md']) {
  test(`${file} names only figures that exist`, async () => {
    const known = new Set((await new Metrics().registry.getMetricsAsJSON()).map(({ name }) => name));
    const text = await readFile(join(DOCS, file), 'utf8');
    const named = [...text.matchAll(/\b(?:assay|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
    ok(named.length > 0);
    deepEqual(
      named.filter((name) => !known.has(name) && !known.has(name.replace(SUFFIX, ''))),
      [],
    );
  });
}

test('what an alert waits for as an increase is counted from zero on: Prometheus sees no step from nothing to one', async () => {
  await using daemon = await openBox({ models: 'tiny' });
  const exposed = await (await fetch(`${daemon.http}/metrics`)).text();
  const alerts = await readFile(join(DOCS, 'alerts.yml'), 'utf8');
  const counted = [...alerts.matchAll(/increase\((\w+(?:\{[^}]*\})?)\[/g)].map(([, series = '']) => series);
  ok(counted.length > 0);
  const missing = counted.filter((series) => !exposed.includes(series.replace('}', '')));
  deepEqual(
    missing.filter((series) => !new RegExp(`^${series}\\{?.* 0$`, 'm').test(exposed)),
    [],
  );
});

/** A list of the words themselves. */
const OTHER_DOCUMENTS = /^docs\/glossary\.md$/;

test('the documents say it in the words of docs/glossary.md', () => {
  const documents = globSync(['*.md', 'docs/*.md'], { cwd: ROOT })
    .filter((file) => !OTHER_DOCUMENTS.test(file) && file !== 'CHANGELOG.md')
    .filter((file) =>
      /\b(told|tells|whoever|nobody|reckon\w*|mends?|mended)\b/i.test(readFileSync(join(ROOT, file), 'utf8')),
    );
  deepEqual(documents, []);
});

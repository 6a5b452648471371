/** What operators import names figures that the daemon really has, and states that it really counts. */
import { deepEqual, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Metrics } from '../src/machinery/metrics.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
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

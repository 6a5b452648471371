import { equal, match } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { Backups } from '../../../src/app/appliance/backups.ts';
import { Metrics } from '../../../src/machinery/metrics.ts';
import { Store } from '../../../src/store/store.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

test('a box whose last good backup is too old says so in its log, once a day', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, 'backups'));
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  let hours = 0;
  const clock = { now: () => hours * 3_600e6 };
  const rest = { intervalMs: 0, keep: 1, withSecrets: false, bytesPerSecondMax: 0 };
  const config = { folder: join(folder.path, 'backups'), ageMsMax: 48 * 3_600_000, ...rest };
  await using backups = await Backups.open(config, { store, clock, log, metrics: new Metrics() });
  const said = () => lines.filter((line) => line.includes('the last good backup is too old')).length;
  const pass = (added: number): void => {
    hours += added;
    context.mock.timers.tick(60_000);
  };
  pass(47);
  equal(said(), 0);
  equal(backups.status().isTooOld, false);
  pass(2);
  equal(said(), 1);
  match(lines.at(-1) ?? '', /"level":40/);
  pass(12);
  equal(said(), 1);
  pass(13);
  equal(said(), 2);
});

test('a backup that a clock years ahead has dated holds up no later one', async () => {
  await using folder = await makeTemporaryFolder();
  const place = join(folder.path, 'backups');
  await mkdir(place);
  await using store = await Store.open({ folder: join(folder.path, 'data') });
  const hour = 3_600_000;
  const [now, ahead] = [Date.parse('2026-11-27T00:00:00.000Z'), '2031-11-27T00:00:00.000Z'];
  for (const createdAt of [new Date(now - 50 * hour).toISOString(), ahead]) {
    const name = join(place, `assay-${createdAt.replace(/[-:]/g, '')}`);
    await mkdir(name);
    const figures = { files: 0, bytes: 0, listingSha256: '', withSecrets: false };
    const manifest = { manifestVersion: 1, formatVersion: 1, version: '0', createdAt, ...figures };
    await writeFile(join(name, 'manifest.json'), JSON.stringify(manifest));
  }
  const config = { folder: place, ageMsMax: 48 * hour, intervalMs: 0, keep: 9, withSecrets: false };
  const parts = { store, clock: { now: () => now * 1000 }, log: pino({ level: 'silent' }) };
  await using backups = await Backups.open(
    { ...config, bytesPerSecondMax: 0 },
    { ...parts, metrics: new Metrics() },
  );
  equal(backups.status().lastGoodAt, (now - 50 * hour) * 1000);
  equal(backups.status().isTooOld, true);
});

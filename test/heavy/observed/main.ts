/**
 * Assay as operators' tools see it: every alert of docs/alerts.yml fires and ends, the dashboard's queries
 * answer, a collector takes traces. main.ts [--collector PROGRAM] [prometheus|collector]…. Needs Debian's
 * prometheus, root and Go.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { awaitEnds, distinctPicture, KEY_HEADERS, submitPicture } from '../../faults/rounds/submissions.ts';
import { until } from '../booted/desk.ts';
import { Unavailable } from '../foreign/tools.ts';
import { ALERT_CASES, type AlertCase } from './alert-cases.ts';
import { judgeCollected } from './collected.ts';
import { buildCollector } from './collector.ts';
import { freePort, Prometheus } from './prometheus.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RULES = join(ROOT, 'docs', 'alerts.yml');
const DASHBOARD = join(ROOT, 'docs', 'grafana-dashboard.json');
/** Grafana fills it in; long enough for a box that is busy. */
const RATE_INTERVAL = '30s';
const SECONDS_MAX = 120;

function alertsOf(rules: string): string[] {
  return [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
}

/** Also what no case is for. */
async function judgeByPromtool(folder: string): Promise<void> {
  const rules = readFileSync(RULES, 'utf8');
  deepEqual(new Set(ALERT_CASES.map(({ alert }) => alert)), new Set(alertsOf(rules)));
  const tests = ALERT_CASES.map(toPromtool);
  const path = join(folder, 'alerts.test.json');
  await writeFile(path, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });
  equal(status, 0, `${stdout}${stderr}`);
  process.stdout.write(`${ALERT_CASES.length} causes: ${alertsOf(rules).length} alerts fire and end\n`);
}

function toPromtool({ alert, series, firesAt, endsAt }: AlertCase): object {
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
  return {
    name: alert,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      { expr, eval_time: '1m', exp_samples: [] },
      { expr, eval_time: `${firesAt}m`, exp_samples: [{ labels: '{}', value: 1 }] },
      { expr, eval_time: `${endsAt}m`, exp_samples: [] },
    ],
  };
}

/** The same rules at a pace that somebody can wait for. */
function quickened(rules: string): string {
  return rules.replace(/for: \d+[mh]/g, 'for: 2s').replace(/\[(?:\d+h|\d+m)\]/g, '[20s]');
}

async function judgeLive(folder: string): Promise<void> {
  const rules = join(folder, 'alerts.yml');
  await writeFile(rules, quickened(readFileSync(RULES, 'utf8')));
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')];
  await mkdir(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8G', 'tmpfs', data]);
  try {
    const port = await freePort();
    const env = { ASSAY_HTTP_LISTEN: `127.0.0.1:${port}`, ASSAY_BACKUP_DIR: backups };
    const start = () => TestDaemon.start({ folder: data, models: 'tiny', env, readyTimeoutMs: 120_000 });
    await using prometheus = await Prometheus.start(folder, `127.0.0.1:${port}`, rules);
    let hash = '';
    {
      await using daemon = await start();
      await ended(prometheus, 'AssayDown');
      hash = await use(daemon, prometheus);
      await judgeDashboard(prometheus);
      await judgeDisk(prometheus, data);
      await judgeBackup(daemon, prometheus, backups);
      await judgeChangedOriginal(daemon, prometheus, hash);
    }
    await fired(prometheus, 'AssayDown');
    await using _ = await start();
    await ended(prometheus, 'AssayDown');
  } finally {
    execFileSync('umount', [data]);
  }
}

/** Work of each sort that the dashboard shows; returns a record. */
async function use(daemon: TestDaemon, prometheus: Prometheus): Promise<string> {
  await until('scraped', SECONDS_MAX, async () =>
    (await prometheus.query('up{job="assay"} == 1')).length > 0 ? true : null,
  );
  command(daemon, 'backup');
  let last = '';
  // Over several scrapes: a rate needs two.
  for (let seed = 0; seed < 6; seed++) {
    last = await submitPicture(daemon, await distinctPicture(seed));
    deepEqual(await awaitEnds(daemon, [last]), ['done']);
    await fetch(`${daemon.http}/api/classification/none`, { headers: KEY_HEADERS });
  }
  return last;
}

function command(daemon: TestDaemon, ...line: string[]): number | null {
  const env = { PATH: process.env.PATH, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  return spawnSync(join(ROOT, 'bin', 'assay'), line, { env, stdio: 'ignore' }).status;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
  panels?: Panel[];
}

async function judgeDashboard(prometheus: Prometheus): Promise<void> {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[] };
  const queries = panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  ok(queries.length > 0);
  for (const { title, expr } of queries) {
    const expression = expr.replaceAll('$__rate_interval', RATE_INTERVAL);
    await until(`${title}: ${expr} has rows`, SECONDS_MAX, async () =>
      (await prometheus.query(expression)).length > 0 ? true : null,
    );
  }
  process.stdout.write(`${queries.length} queries of the dashboard have rows\n`);
}

async function judgeDisk(prometheus: Prometheus, data: string): Promise<void> {
  execFileSync('mount', ['-o', 'remount,size=4G', data]);
  await fired(prometheus, 'AssayDiskLow');
  execFileSync('mount', ['-o', 'remount,size=8G', data]);
  await ended(prometheus, 'AssayDiskLow');
}

/** Its disk was taken away; a file has its name. */
async function judgeBackup(daemon: TestDaemon, prometheus: Prometheus, backups: string): Promise<void> {
  await rm(backups, { recursive: true, force: true });
  await writeFile(backups, '');
  ok(command(daemon, 'backup') !== 0);
  await fired(prometheus, 'AssayBackupFailed');
  await rm(backups);
  await ended(prometheus, 'AssayBackupFailed');
}

async function judgeChangedOriginal(daemon: TestDaemon, prometheus: Prometheus, id: string): Promise<void> {
  const blobs = join(daemon.folder, 'blobs');
  const names = readdirSync(blobs, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of names.filter((entry) => entry.isFile()))
    await writeFile(join(parentPath, name), 'other bytes');
  await fetch(`${daemon.http}/media/${id}/original`, { headers: KEY_HEADERS }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  );
  await fired(prometheus, 'AssayChangedOriginals');
  await ended(prometheus, 'AssayChangedOriginals');
}

async function fired(prometheus: Prometheus, alert: string): Promise<void> {
  await until(`${alert} fires`, SECONDS_MAX, async () => ((await prometheus.isFiring(alert)) ? true : null));
  process.stdout.write(`${alert} fires\n`);
}

async function ended(prometheus: Prometheus, alert: string): Promise<void> {
  await until(`${alert} ends`, SECONDS_MAX, async () => ((await prometheus.isFiring(alert)) ? null : true));
  process.stdout.write(`${alert} does not fire\n`);
}

async function judgePrometheus(folder: string): Promise<void> {
  if (!existsSync('/usr/bin/promtool'))
    return void process.stdout.write("skipped: Debian's prometheus is not on this machine\n");
  await judgeByPromtool(folder);
  if (process.getuid?.() === 0) await judgeLive(folder);
  else process.stdout.write('skipped: a disk of its own is made by root\n');
}

async function judgeCollector(folder: string, made: string | undefined): Promise<void> {
  try {
    await judgeCollected(folder, made ?? (await buildCollector(folder)));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    process.stdout.write(`skipped: the collector: ${error.message}\n`);
  }
}

const { values, positionals } = parseArgs({
  options: { collector: { type: 'string' } },
  allowPositionals: true,
});
const isAsked = (name: string) => positionals.length === 0 || positionals.includes(name);
const folder = await mkdtemp(join(tmpdir(), 'assay-observed-'));
try {
  if (isAsked('prometheus')) await judgePrometheus(folder);
  if (isAsked('collector')) await judgeCollector(folder, values.collector);
} finally {
  await rm(folder, { recursive: true, force: true });
}

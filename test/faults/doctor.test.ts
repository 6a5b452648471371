/** `assay doctor` and `assay status` against a running daemon: what is missing is said, with what to do. */
import { equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { reach, runCommand } from '../command-line.ts';
import { TestDaemon } from '../daemon.ts';

interface Finding {
  name: string;
  state: string;
  found: string;
  advice: string;
}

test('each part of the box has a finding, and what is not good has advice', { timeout: 60_000 }, async () => {
  await using daemon = await TestDaemon.start();
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], reach(daemon));
  equal(code, 0, stderr);
  const findings = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding);
  const names = findings.map(({ name }) => name);
  for (const name of [
    'gpu',
    'isolation',
    'disk',
    'flush',
    'records',
    'backup',
    'queue',
    'trust anchors',
    'limits',
  ]) {
    ok(names.includes(name), `nothing on ${name}`);
  }
  ok(names.some((name) => name.startsWith('model ')));
  for (const { name, state, advice } of findings) equal(advice === '', state === 'good', name);
  match(findings.find(({ name }) => name === 'backup')?.advice ?? '', /set backup\.dir/);
});

test('a disk that is nearly full is bad, and the exit code says so', { timeout: 60_000 }, async () => {
  const env = { ASSAY_DISK_FREE_MIN: String(Number.MAX_SAFE_INTEGER), ASSAY_BACKUP_DIR: '/dev/null/none' };
  await using daemon = await TestDaemon.start({ env });
  const { code, stdout } = await runCommand(['doctor'], reach(daemon));
  equal(code, 1);
  match(stdout, /bad\s+disk\s+.*work is refused below/);
  match(stdout, /→ make room/);
  match(stdout, /bad\s+backup\s+none yet/);
  const status = await runCommand(['status'], { ...reach(daemon), ASSAY_DATA_DIR: join(daemon.folder) });
  match(status.stdout, /the last try failed/);
});

import { equal, match, ok, partialDeepStrictEqual } from 'node:assert/strict';
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

async function examine(daemon: TestDaemon): Promise<Finding[]> {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], reach(daemon));
  equal(code, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding);
}

/** The transcription model is only tested by its first request. */
function isUntested({ name, found }: Finding): boolean {
  return name.startsWith('model ') && !name.startsWith('model whisper') && found.includes('not tested yet');
}

test('each part of the box has a finding, and each that is not good has advice', async () => {
  await using daemon = await TestDaemon.start();
  let findings = await examine(daemon);
  // A first start does not wait for the checks of the models that come with Assay.
  while (findings.some(isUntested)) findings = await examine(daemon);
  const names = findings.map(({ name }) => name);
  for (const name of [
    'gpu',
    'isolation',
    'decoders',
    'libraries',
    'memory',
    'mail',
    'clock',
    'port http',
    'port grpc',
    'disk',
    'flush',
    'records',
    'readers',
    'originals',
    'backup',
    'queue',
    'trust lists',
    'limits',
  ]) {
    ok(names.includes(name), `nothing on ${name}`);
  }
  ok(names.some((name) => name.startsWith('model ')));
  for (const { name, state, advice } of findings) equal(advice === '', state === 'good', name);
  const foundOf = (wanted: string) => findings.find(({ name }) => name.startsWith(wanted))?.found ?? '';
  match(findings.find(({ name }) => name === 'backup')?.advice ?? '', /set backup\.dir/);
  match(
    foundOf('model assay-transformer'),
    /^runs on cpu, differs from the CPU's golden outputs by [\d.e-]+/,
  );
  match(foundOf('decoders'), /read a picture and a sound in \d+ ms/);
  for (const port of ['port http', 'port grpc']) match(foundOf(port), /^127\.0\.0\.1:\d+ takes connections/);
  const figures = await (await fetch(`${daemon.http}/metrics`)).text();
  match(figures, /^assay_models\{provider="cpu"\} [1-9]/m);
  for (const name of ['provider_fallbacks', 'queue_oldest_seconds', 'webhook_overdue_seconds', 'queue_depth'])
    match(figures, new RegExp(`^assay_${name} 0$`, 'm'));
  const ps = await runCommand(['ps', '--json'], reach(daemon));
  equal(ps.code, 0, ps.stderr);
  const { processes, models } = JSON.parse(ps.stdout) as {
    processes: { pid: number; role: string; rss_anon_bytes: string }[];
    models: { id: string; provider: string }[];
  };
  equal(processes.find(({ role }) => role === 'PROCESS_ROLE_DAEMON')?.pid, daemon.process.pid);
  // The examination has just used a decoder.
  for (const role of ['PROCESS_ROLE_DECODE', 'PROCESS_ROLE_INFERENCE']) {
    const bytes = Number(processes.find((entry) => entry.role === role)?.rss_anon_bytes);
    ok(bytes > 10e6, `${role}: ${bytes}`);
  }
  equal(models.find(({ id }) => id === 'assay-transformer')?.provider, 'cpu');
  match((await runCommand(['ps'], reach(daemon))).stdout, /inference .* MB .*\n[\s\S]*0 running, 0 waiting/);
});

test('a pack that runs on the CPU by design is no fault of a box with a GPU', async () => {
  await using daemon = await TestDaemon.start({ env: { ASSAY_INFERENCE_PROVIDERS: 'cuda,cpu' } });
  const models = (await examine(daemon)).filter(({ name }) => name.startsWith('model '));
  const whisper = models.find(({ name }) => name.startsWith('model whisper')) ?? {};
  partialDeepStrictEqual(whisper, { state: 'good', found: 'runs on cpu, not tested yet' });
  const detector = models.find(({ name }) => name.startsWith('model silero-vad@')) ?? {};
  partialDeepStrictEqual(detector, { state: 'good' });
  const fallen = models.filter(({ state }) => state === 'notice').length;
  const figures = await (await fetch(`${daemon.http}/metrics`)).text();
  match(figures, new RegExp(`^assay_provider_fallbacks ${fallen}$`, 'm'));
});

test('a disk that is nearly full is bad, and the exit code says so', async () => {
  const env = { ASSAY_DISK_FREE_MIN: String(Number.MAX_SAFE_INTEGER), ASSAY_BACKUP_DIR: '/dev/null/none' };
  await using daemon = await TestDaemon.start({ models: 'tiny', env });
  const { code, stdout } = await runCommand(['doctor'], reach(daemon));
  equal(code, 1);
  match(stdout, /bad\s+disk\s+.*work is refused below/);
  match(stdout, /→ make room/);
  match(stdout, /bad\s+backup\s+none yet/);
  const status = await runCommand(['status'], { ...reach(daemon), ASSAY_DATA_DIR: join(daemon.folder) });
  match(status.stdout, /the last try failed/);
});

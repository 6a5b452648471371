/**
 * Runs inside the bare system, on the runtime of the package: starts the installed daemon as its user, sends it a photograph
 * over REST, and prints what came of it as one line of JSON; the log and the daemon's state go to standard error.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const TRIES_MAX = 600;
const PAUSE_MS = 250;

const startedAt = performance.now();
const seconds = () => Number(((performance.now() - startedAt) / 1000).toFixed(1));
// Replaced by the daemon, so that its end is the daemon's own.
const user = ['--reuid=assay', '--regid=assay', '--init-groups', '--'];
const serve = ['assay', 'serve', '--config', '/etc/assay/assay.toml'];
const daemon = spawn('setpriv', [...user, ...serve], {
  cwd: '/var/lib/assay',
  env: { PATH: process.env.PATH, ASSAY_DATA_DIR: '/var/lib/assay' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(daemon, 'exit');
let http = '';
for await (const line of createInterface({ input: daemon.stdout })) {
  [, http = ''] = /assay ready http=(\S+) /.exec(line) ?? [];
  if (http !== '') break;
}
await until(async () => (await fetch(`${http}/readyz`)).status === 200);
const readySeconds = seconds();
const key = (await readFile('/var/lib/assay/admin.key', 'utf8')).trim();
const headers = { 'x-api-key': key };
const form = new FormData();
form.set('image', new Blob([await readFile('/root/photograph')]), 'photograph.jpg');
const sent = await fetch(`${http}/api/classification`, { method: 'POST', headers, body: form });
const id = (await sent.text()).trim();
if (sent.status !== 200) throw new Error(`${sent.status}: ${id}`);
let record;
await until(async () => {
  const answer = await fetch(`${http}/api/classification/${id}`, { headers });
  record = await answer.json();
  return answer.status === 200 && ['done', 'errored'].includes(record.status);
});
const { status, errors, verdict } = record;
const found = { status, errors, classification: verdict?.classification };
process.stdout.write(`${JSON.stringify({ readySeconds, judgedSeconds: seconds(), ...found })}\n`);
// Beside the daemon's log: which wall the decoders were behind.
const asking = { PATH: process.env.PATH, ASSAY_API_KEY: key };
process.stderr.write(execFileSync('assay', ['status'], { env: asking, encoding: 'utf8' }));
daemon.kill('SIGTERM');
const [code] = await ended;
process.exitCode = code ?? 1;

async function until(isReached) {
  for (let count = 0; count < TRIES_MAX; count++) {
    if (await isReached()) return;
    await delay(PAUSE_MS);
  }
  throw new Error('not reached in time');
}

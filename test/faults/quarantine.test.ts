import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestDaemon } from '../daemon.ts';
import { jobInputs } from './rounds/data-folder.ts';
import { childrenOf, parentOf } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  KEY_HEADERS,
  metricOf,
  pidOf,
  postPicture,
  submitPicture,
  until,
} from './rounds/submissions.ts';

/** Takes a core a good while to decode, so that a look at it finds it in work. */
const LARGE_SIDE = 2500;
const ATTEMPTS = 2;
const LOOK_MS = 5;
/** The log names a killed child long before. */
const SETTLING_MS = 500;

interface Row {
  status: string;
  errors: string;
}

async function rowOf({ http }: TestDaemon, identifier: string): Promise<Row> {
  const response = await fetch(`${http}/api/classification/${identifier}`, { headers: KEY_HEADERS });
  return (await response.json()) as Row;
}

/** Number of the slot of a decode child, by its arguments or its working folder. */
function slotOf(pid: number, daemonPid: number): string | undefined {
  for (let at = pid; at > 1 && at !== daemonPid; at = parentOf(at)) {
    try {
      const words = `${readFileSync(`/proc/${at}/cmdline`, 'utf8')} ${readlinkSync(`/proc/${at}/cwd`)}`;
      const slot = /jobs\/([\w-]+)/.exec(words)?.[1];
      if (slot !== undefined) return slot;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Slots are handed the stored file itself by a hard link. */
function slotsWith(folder: string, inode: number): string[] {
  return jobInputs(folder).flatMap((path) => {
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    return found?.ino === inode ? [path.split('/')[1] ?? ''] : [];
  });
}

function inodeOfOnlyBlob(folder: string): number {
  const blobs = join(folder, 'blobs');
  const paths = readdirSync(blobs).flatMap((prefix) =>
    readdirSync(join(blobs, prefix)).map((name) => join(blobs, prefix, name)),
  );
  equal(paths.length, 1);
  return statSync(paths[0] ?? '').ino;
}

/** Kills the decoder of this file at each try, as a fault in the decoder would, until it is stopped. */
async function endItsDecoders(daemon: TestDaemon, inode: number, signal: AbortSignal): Promise<number> {
  const ended = new Set<number>();
  while (!signal.aborted) {
    const slots = slotsWith(daemon.folder, inode);
    for (const pid of slots.length === 0 ? [] : childrenOf(pidOf(daemon)).decode) {
      if (ended.has(pid) || !slots.includes(slotOf(pid, pidOf(daemon)) ?? '')) continue;
      process.kill(pid, 'SIGKILL');
      ended.add(pid);
    }
    await delay(LOOK_MS);
  }
  return ended.size;
}

const deathsOf = (daemon: TestDaemon) => metricOf(daemon, 'assay_worker_deaths_total{worker="decode"}');

test('a file that ends its decoders is given up and not tried again; others are not delayed', async () => {
  const env = { ASSAY_ANALYSIS_ATTEMPTS_MAX: String(ATTEMPTS), ASSAY_ANALYSIS_STABILITY: 'false' };
  await using daemon = await TestDaemon.start({ models: 'tiny', env });
  const bytes = await distinctPicture(1, LARGE_SIDE);
  const deadly = await submitPicture(daemon, bytes);
  const over = new AbortController();
  // A test that fails before it would otherwise look for decoders for ever, and never end.
  using _ended = { [Symbol.dispose]: () => over.abort() };
  const ending = endItsDecoders(daemon, inodeOfOnlyBlob(daemon.folder), over.signal);
  const others: string[] = [];
  for (let seed = 2; seed < 7; seed++) {
    others.push(await submitPicture(daemon, await distinctPicture(seed)));
  }
  ok((await awaitEnds(daemon, others)).every((status) => status === 'done'));
  await until(async () => (await rowOf(daemon, deadly)).status !== 'new', 'the deadly file to be given up');
  const row = await rowOf(daemon, deadly);
  equal(row.status, 'errored');
  match(row.errors, /given up after 2 attempts: a worker process ended while it analysed the file/);
  over.abort();
  // The slot holds the file a moment longer than the attempt lasts: a new child may have been taken for one at work.
  ok((await ending) >= ATTEMPTS);
  await delay(SETTLING_MS);
  const deaths = await deathsOf(daemon);
  ok(deaths >= ATTEMPTS, `${deaths}`);
  const again = await (await postPicture(daemon, bytes)).text();
  deepEqual(await rowOf(daemon, again).then(({ status, errors }) => [status, errors]), [
    'errored',
    row.errors,
  ]);
  equal(await deathsOf(daemon), deaths);
  const body = new FormData();
  body.set('no_cache', 'true');
  body.set('image', new Blob([new Uint8Array(bytes)]), 'picture.jpg');
  const init = { method: 'POST', headers: KEY_HEADERS, body };
  const insisted = await (await fetch(`${daemon.http}/api/classification`, init)).text();
  deepEqual(await awaitEnds(daemon, [insisted]), ['done']);
});

/** What the runs in a booted box share: their arguments, the package, the box and its end. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { suiteOf } from '../package/suites.ts';
import type { Box } from './box.ts';
import type { Desk } from './desk.ts';
import { makeBase, makeBox, setUp } from './make-box.ts';
import { openNetwork } from './network.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NEEDED = ['/usr/bin/mmdebstrap', '/usr/bin/systemd-nspawn'];

const OPTIONS = {
  package: { type: 'string' },
  base: { type: 'string' },
  suite: { type: 'string', default: 'bookworm' },
  from: { type: 'string' },
  records: { type: 'string' },
} as const;

export interface Session {
  /** The folder of this run, removed at its end. */
  folder: string;
  /** The bare system, of which further boxes are made. */
  base: string;
  box: Box;
  desk: Desk;
  /** The package of this version. */
  newer: string;
  values: { records?: string | undefined };
}

/** The box begins with the older package where one is needed, else with that of this version. */
export async function runInBox(
  { needsOlder }: { needsOlder: boolean },
  play: (session: Session) => Promise<void>,
): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (process.getuid?.() !== 0 || !NEEDED.every((program) => existsSync(program)))
    return void process.stdout.write(`skipped: the box is booted by root with ${NEEDED.join(' and ')}\n`);
  if (needsOlder && values.from === undefined)
    return void process.stdout.write('skipped: --from names no package of an older version\n');
  const folder = await mkdtemp(join(tmpdir(), 'assay-booted-'));
  try {
    const newer = values.package ?? makePackage(join(folder, 'package'));
    const base = values.base ?? join(folder, 'base');
    await timed('bare system', () => makeBase(suiteOf(values.suite), base));
    using _network = openNetwork();
    await using box = await makeBox(folder, base);
    const first = needsOlder ? (values.from ?? newer) : newer;
    const desk = await timed('booted, installed, ready', () => setUp(box, first));
    await play({ folder, base, box, desk, newer, values });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function makePackage(folder: string): string {
  const args = [join(ROOT, 'packaging', 'main.ts'), '--allow-dirty', '--form', 'deb', '--out', folder];
  execFileSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '');
}

export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

/** Each step in its turn, timed. One that misses is printed with the daemon's log, and the others go on. */
export async function playSteps<B extends Pick<Box, 'run'>>(
  box: B,
  desk: Desk,
  steps: readonly (readonly [string, (box: B, desk: Desk) => Promise<void>])[],
): Promise<void> {
  for (const [what, step] of steps) {
    try {
      await timed(what, () => step(box, desk));
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`MISSED: ${what}: ${error instanceof Error ? error.stack : error}\n`);
      process.stdout.write(box.run('journalctl --unit=assay --lines=30 --no-pager').text);
    }
  }
}

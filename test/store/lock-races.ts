/** Three processes that want one data folder at the same instant, over whatever the last holder left behind. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { StarterAnswer, StarterOrder } from './lock-starter.ts';

const STARTER = join(import.meta.dirname, 'lock-starter.ts');
const RACERS = 3;
/** Losers try for so long while the winner holds on: some tens of tries each. */
const RACE_WAIT_MS = 200;
const LOOK_MS = 2;

export class Starter implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(ballastBytes = 0): Promise<Starter> {
    const child = fork(STARTER, { env: { ...process.env, BALLAST_BYTES: String(ballastBytes) } });
    await once(child, 'message');
    return new Starter(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async take(folder: string, waitMs: number): Promise<StarterAnswer> {
    return await this.#ask({ type: 'take', folder, waitMs });
  }

  async release(): Promise<void> {
    await this.#ask({ type: 'release' });
  }

  /** Returns at once: the kernel still has the process' memory to take back. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.kill();
    await exited;
  }

  async #ask(order: StarterOrder): Promise<StarterAnswer> {
    const over = new AbortController();
    const answered = once(this.#child, 'message', { signal: over.signal });
    const died = once(this.#child, 'exit', { signal: over.signal }).then(() => {
      throw new Error('a starter ended instead of answering');
    });
    this.#child.send(order);
    try {
      const [answer] = (await Promise.race([answered, died])) as [StarterAnswer];
      return answer;
    } finally {
      over.abort();
      await Promise.allSettled([answered, died]);
    }
  }
}

/** A process that has ended and whose parent never asks how. */
export class Zombie implements AsyncDisposable {
  readonly pid: number;
  readonly #parent: ChildProcess;

  private constructor(pid: number, parent: ChildProcess) {
    this.pid = pid;
    this.#parent = parent;
  }

  /** Zombie of a process that took the folder first, if one is named. */
  static async make(folder?: string): Promise<Zombie> {
    const source =
      folder === undefined
        ? 'process.stdout.write("held\\n"); setInterval(() => {}, 1000);'
        : `import { FolderLock } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/lock.ts'))};
           globalThis.lock = await FolderLock.acquire(${JSON.stringify(folder)});
           process.stdout.write("held\\n"); setInterval(() => {}, 1000);`;
    const script = '"$0" --input-type=module -e "$1" & echo $!; exec sleep 600';
    const parent = spawn('sh', ['-c', script, process.execPath, source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    if ((await lines.next()).value !== 'held') throw new Error('the holder did not get the folder');
    process.kill(pid, 'SIGKILL');
    while ((await statOf(pid))[0] !== 'Z') await delay(LOOK_MS);
    return new Zombie(pid, parent);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#parent, 'exit');
    this.#parent.kill('SIGKILL');
    await exited;
  }
}

/** The fields of the kernel's line from the state on. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** What versions before the kernel's lock wrote about a holder. */
export async function writeOlderLock(folder: string, pid: number): Promise<void> {
  await writeFile(join(folder, 'daemon.lock'), `${pid} ${(await statOf(pid))[19]}\n`);
}

/** What lies in the folder when the race begins. */
export const LEFTOVERS = ['nothing', 'stale', 'zombie', 'older stale', 'older zombie'] as const;
export type Leftover = (typeof LEFTOVERS)[number];

/** Lays it down; what it returns is to be disposed after the race. */
async function leaveBehind(folder: string, leftover: Leftover): Promise<AsyncDisposable | undefined> {
  switch (leftover) {
    case 'nothing':
      return undefined;
    case 'stale':
    case 'older stale': {
      await using holder = await Starter.start();
      if (leftover === 'stale') await holder.take(folder, 0);
      else await writeOlderLock(folder, holder.pid);
      return undefined;
    }
    case 'zombie':
      return await Zombie.make(folder);
    case 'older zombie': {
      const zombie = await Zombie.make();
      await writeOlderLock(folder, zombie.pid);
      return zombie;
    }
  }
}

/** Runs so many races, each in a folder of its own; returns those in which not exactly one got the folder. */
export async function race(parent: string, races: number): Promise<string[]> {
  const racers = await Promise.all(Array.from({ length: RACERS }, () => Starter.start()));
  const faults: string[] = [];
  try {
    for (let number = 0; number < races; number++) {
      const leftover = LEFTOVERS[number % LEFTOVERS.length] ?? 'nothing';
      const folder = join(parent, String(number));
      await mkdir(folder);
      await using _ = await leaveBehind(folder, leftover);
      const answers = await Promise.all(racers.map((racer) => racer.take(folder, RACE_WAIT_MS)));
      const taken = answers.filter(({ type }) => type === 'taken').length;
      if (taken !== 1) faults.push(`race ${number} over ${leftover}: ${taken} got the folder`);
      await Promise.all(racers.map((racer) => racer.release()));
    }
  } finally {
    for (const racer of racers) await racer[Symbol.asyncDispose]();
  }
  return faults;
}

/** Checks what the daemon runs on: decoders and their walls, memory, limits, ports, the clock. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { NATIVE_LIBRARIES } from '../../../domain/native-libraries.ts';
import { MICROSECONDS_PER_MS } from '../../../domain/time.ts';
import { describeIsolation, reachOf } from '../../../engine/decode/isolation.ts';
import type { ApplianceParts, DoctorConfig, Listener } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const GB = 1e9;
const DESCRIPTORS_MIN = 8192;
/** Reads two small files; a box that takes longer has no room for work either. */
const PROBE_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A smaller step is a clock being disciplined. */
const STEP_MS_MAX = 1_000;

export function checkIsolation(app: ApplianceParts): Finding[] {
  const { isolation } = app.engine.status();
  const advice = 'install bubblewrap and allow user namespaces, or set decode.isolation = "require"';
  if (isolation === null) return [notice('isolation', 'not started', advice)];
  const found = describeIsolation(isolation);
  return [reachOf(isolation) === 'its slot' ? good('isolation', found) : notice('isolation', found, advice)];
}

/** A picture and a sound of 16 by 16 pixels and of a tenth of a second, each through a real decoder. */
export async function checkDecoders(app: ApplianceParts): Promise<Finding[]> {
  const folder = await mkdtemp(join(app.store.folder, 'doctor-'));
  const startedAt = performance.now();
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    for (const [name, bytes, kind] of [
      ['picture', PICTURE, 'image'],
      ['sound', makeSound(), 'audio'],
    ] as const) {
      const path = join(folder, name);
      await writeFile(path, bytes);
      const probe = await app.looks.probe({ path }, signal);
      if (probe.kind !== kind) throw new Error(`the ${name} was taken for ${probe.kind}`);
    }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [bad('decoders', found, 'the log says more; `npm ci` installs the decoders again')];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return [good('decoders', `read a picture and a sound in ${Math.round(performance.now() - startedAt)} ms`)];
}

/** Lists the native libraries that read hostile bytes, to compare with announced faults. */
export function checkLibraries(): Finding[] {
  const found = NATIVE_LIBRARIES.map(({ name, version, published }) => `${name} ${version} (${published})`);
  return [good('libraries', found.join(', '))];
}

/** PNG, 16 by 16, one colour. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAGUlEQVQokWNo6JhAEmIY1dAxGkoNwzVpAADXoJgQ/pxp8QAAAABJRU5ErkJggg==',
  'base64',
);

/** WAV, 16 kHz, one channel: silence. */
function makeSound(): Buffer {
  const samples = 1600;
  const bytes = Buffer.alloc(44 + 2 * samples);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * samples, 40);
  return bytes;
}

/** Whether all decoders fit at their bound; otherwise the kernel chooses which process ends. */
export async function checkMemory(_app: ApplianceParts, { decode }: DoctorConfig): Promise<Finding[]> {
  const allowed = await readMemoryMax();
  const most = decode.slots * decode.memoryBytesMax;
  const gb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;
  const found = `${decode.slots} decoders may take ${gb(most)} of ${gb(allowed)}`;
  if (most <= allowed) return [good('memory', found)];
  return [notice('memory', found, 'lower decode.slots or decode.memory_bytes_max, or give the box more')];
}

/** The box's memory, or less if a control group bounds this process. */
async function readMemoryMax(): Promise<number> {
  const groups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const path = /^0::(\S+)$/m.exec(groups)?.[1] ?? '/';
  const text = await readFile(join('/sys/fs/cgroup', path, 'memory.max'), 'utf8').catch(() => 'max');
  const bound = Number(text);
  return Number.isFinite(bound) && bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}

export async function checkDescriptors(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  const found = `${soft} files and connections may be open`;
  if (soft >= DESCRIPTORS_MIN) return [good('limits', found)];
  const advice = `raise LimitNOFILE (or ulimit -n) to ${DESCRIPTORS_MIN} or more: each watcher holds one`;
  return [notice('limits', found, advice)];
}

/** Whether each listener takes a connection, as a client of this box would make one. */
export async function checkPorts(_app: ApplianceParts, { listeners }: DoctorConfig): Promise<Finding[]> {
  return await Promise.all(
    listeners.map(async (listener) => {
      const name = `port ${listener.name}`;
      const place = `${listener.host}:${listener.port}`;
      if (await answers(listener)) return good(name, `${place} takes connections`);
      return bad(
        name,
        `${place} takes no connection`,
        'too many connections, or a firewall on the box itself',
      );
    }),
  );
}

async function answers({ host, port }: Listener): Promise<boolean> {
  // A listener on every address is reached at loopback.
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: target, port, timeout: CONNECT_TIMEOUT_MS });
  socket.once('connect', () => resolve(true));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(false));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

export function checkClock(app: ApplianceParts): Finding[] {
  const now = Date.now();
  const stepMs = now - (performance.timeOrigin + performance.now());
  const [newest] = app.store.read.audit({ limit: 1 });
  const aheadMs = (newest?.at ?? 0) / MICROSECONDS_PER_MS - now;
  const advice = 'ask `timedatectl`; records, links and signatures are judged by this clock';
  if (aheadMs > STEP_MS_MAX) {
    const found = `it is ${Math.round(aheadMs / 1000)} s behind what was written before`;
    return [bad('clock', found, advice)];
  }
  if (Math.abs(stepMs) > STEP_MS_MAX)
    return [notice('clock', `it was set by ${Math.round(stepMs / 1000)} s since the start`, advice)];
  // systemd-timesyncd and chrony's helper leave this mark; without systemd there is nothing to read.
  if (!existsSync('/run/systemd/system')) return [good('clock', 'not set since the start')];
  if (existsSync('/run/systemd/timesync/synchronized')) return [good('clock', 'synchronised')];
  return [notice('clock', 'systemd-timesyncd has not synchronised it', advice)];
}

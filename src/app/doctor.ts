/** What is right and what is wrong with the box, each finding with what was seen and what to do about it. */
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from './app.ts';
import { getStatus } from './appliance.ts';
import { assertAdmin } from './authority.ts';
import type { Principal } from './principal.ts';
import type { TlsFiles } from './tls.ts';

export const FINDING_STATES = ['good', 'notice', 'bad'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export interface Finding {
  /** What was looked at: `disk`, `models`, … */
  name: string;
  state: FindingState;
  found: string;
  /** What to do; empty where all is good. */
  advice: string;
}

/** What only the settings know. */
export interface DoctorConfig {
  trustAnchorsPem: string;
  tls: TlsFiles | null;
  diskFreeBytesMin: number;
}

type Check = (app: App, config: DoctorConfig) => Promise<Finding[]> | Finding[];

const DAY_MS = 24 * 3600 * 1000;
/** Renewal usually happens a month ahead; two weeks before the end it has failed. */
const CERTIFICATE_DAYS_MIN = 14;
/** An answer waits for one flush; past this, 20 submissions a second are the most. */
const FLUSH_MS_MAX = 50;
const FLUSHES = 5;
const DESCRIPTORS_MIN = 8192;
const GB = 1e9;

const CHECKS: readonly Check[] = [
  checkModels,
  checkGpu,
  checkIsolation,
  checkDisk,
  checkFlush,
  checkRecords,
  checkBackup,
  checkQueue,
  checkClock,
  checkTls,
  checkTrustAnchors,
  checkDescriptors,
];

/** Administrators only. */
export async function examine(app: App, { principal }: { principal: Principal }): Promise<Finding[]> {
  assertAdmin(principal);
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await check(app, app.doctor)));
  return findings;
}

function good(name: string, found: string): Finding {
  return { name, state: 'good', found, advice: '' };
}

async function checkModels(app: App): Promise<Finding[]> {
  const { models, phase, notReadyReason } = await getStatus(app);
  if (models.length === 0) {
    const advice = 'look at the setting models.folders, and run `assay models verify`';
    return [{ name: 'models', state: 'bad', found: notReadyReason ?? phase, advice }];
  }
  return models.map(({ id, version, provider, fault }) => {
    const name = `model ${id}@${version}`;
    if (fault === null) return good(name, `runs on ${provider ?? 'nothing yet'}, gives its golden outputs`);
    return { name, state: 'bad', found: fault, advice: 'install the pack again; the log tells more' };
  });
}

async function checkGpu(app: App): Promise<Finding[]> {
  const hasDevice = existsSync('/dev/nvidia0');
  const providers = new Set((await getStatus(app)).models.map(({ provider }) => provider ?? 'none'));
  const used = [...providers].join(', ') || 'none';
  if (!hasDevice) return [good('gpu', `none; models run on ${used}`)];
  if (providers.has('cuda') || providers.has('tensorrt')) return [good('gpu', `models run on ${used}`)];
  const advice =
    'set inference.providers = ["cuda", "cpu"] and install its libraries; the log tells why one was not taken';
  return [{ name: 'gpu', state: 'notice', found: `a GPU is there, models run on ${used}`, advice }];
}

function checkIsolation(app: App): Finding[] {
  const found = app.engine.status().isolation ?? 'not started';
  if (found === 'bubblewrap') return [good('isolation', found)];
  const advice = 'install bubblewrap and allow user namespaces, or set decode.isolation = "require"';
  return [{ name: 'isolation', state: 'notice', found, advice }];
}

async function checkDisk(app: App, { diskFreeBytesMin }: DoctorConfig): Promise<Finding[]> {
  const free = await app.store.freeBytes();
  const found = `${(free / GB).toFixed(1)} GB free, work is refused below ${(diskFreeBytesMin / GB).toFixed(1)} GB`;
  if (free > 2 * diskFreeBytesMin) return [good('disk', found)];
  const advice = 'make room, give plans a retention (mediaDays, recordDays), or move the data folder';
  return [{ name: 'disk', state: free > diskFreeBytesMin ? 'notice' : 'bad', found, advice }];
}

/** As long as each accepted submission waits for it. */
async function checkFlush(app: App): Promise<Finding[]> {
  const path = join(app.store.folder, 'doctor.probe');
  const times: number[] = [];
  try {
    await using file = await open(path, 'w', 0o600);
    for (let count = 0; count < FLUSHES; count++) {
      const startedAt = performance.now();
      await file.write('flush');
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
  } catch (error) {
    return [
      { name: 'flush', state: 'bad', found: String(error), advice: 'the disk takes no writes: make room' },
    ];
  } finally {
    await rm(path, { force: true });
  }
  const median = times.toSorted((left, right) => left - right)[FLUSHES >> 1] ?? 0;
  const found = `a flush takes ${median.toFixed(1)} ms`;
  if (median <= FLUSH_MS_MAX) return [good('flush', found)];
  const advice = 'each submission waits for one: put the data folder on a faster disk';
  return [{ name: 'flush', state: 'notice', found, advice }];
}

async function checkRecords(app: App): Promise<Finding[]> {
  const damaged = (await app.metrics.damagedRecords.get()).values.reduce((sum, { value }) => sum + value, 0);
  const found = `${((await app.store.recordsBytes()) / 1e6).toFixed(0)} MB, ${damaged} damaged values met since the start`;
  if (damaged === 0) return [good('records', found)];
  const advice = 'restore the last good backup into a new folder, and have the disk looked at';
  return [{ name: 'records', state: 'bad', found, advice }];
}

function checkBackup(app: App): Finding[] {
  const { folder, lastGoodAt, lastError, isTooOld } = app.backups.status();
  if (folder === null) {
    const advice = 'set backup.dir to a folder on another disk';
    return [{ name: 'backup', state: 'notice', found: 'none is made', advice }];
  }
  const when = lastGoodAt === null ? 'none yet' : `last good one ${new Date(lastGoodAt).toISOString()}`;
  if (lastError === null && !isTooOld) return [good('backup', `${when} in ${folder}`)];
  const found = lastError === null ? when : `${when}; the last try failed: ${lastError}`;
  return [{ name: 'backup', state: 'bad', found, advice: `look at ${folder}, then run \`assay backup\`` }];
}

function checkQueue(app: App): Finding[] {
  const { queueDepth, running, phase } = app.engine.status();
  const found = `${queueDepth} waiting, ${running} running`;
  const isStuck = phase === 'ready' && queueDepth > 0 && running === 0;
  if (!isStuck) return [good('queue', found)];
  return [{ name: 'queue', state: 'bad', found, advice: 'work waits and none runs: look at the log' }];
}

function checkClock(): Finding[] {
  // systemd-timesyncd and chrony's helper leave this mark; without systemd there is nothing to read.
  if (!existsSync('/run/systemd/system')) return [];
  if (existsSync('/run/systemd/timesync/synchronized')) return [good('clock', 'synchronised')];
  const advice = 'ask `timedatectl`; records, links and signatures are judged by this clock';
  return [{ name: 'clock', state: 'notice', found: 'systemd-timesyncd has not synchronised it', advice }];
}

function checkTls(_app: App, { tls }: DoctorConfig): Finding[] {
  if (tls === null) return [];
  const days = (tls.validUntil - Date.now()) / DAY_MS;
  const found = `the certificate ends ${new Date(tls.validUntil).toISOString()}`;
  if (days > CERTIFICATE_DAYS_MIN) return [good('tls', found)];
  const advice =
    'renew it and replace the files of tls.cert_file and tls.key_file; they are read again by themselves';
  return [{ name: 'tls', state: days > 0 ? 'notice' : 'bad', found, advice }];
}

function checkTrustAnchors(_app: App, { trustAnchorsPem }: DoctorConfig): Finding[] {
  const certificates =
    trustAnchorsPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) {
    const advice = 'set provenance.trust_anchors_file: without it no C2PA signature counts as trusted';
    return [{ name: 'trust anchors', state: 'notice', found: 'none', advice }];
  }
  const expired = certificates.filter((pem) => new X509Certificate(pem).validToDate.getTime() < Date.now());
  const found = `${certificates.length}, of which ${expired.length} have expired`;
  if (expired.length === 0) return [good('trust anchors', found)];
  return [
    { name: 'trust anchors', state: 'notice', found, advice: 'fetch the current list from its publisher' },
  ];
}

async function checkDescriptors(): Promise<Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  const found = `${soft} files and connections may be open`;
  if (soft >= DESCRIPTORS_MIN) return [good('limits', found)];
  const advice = `raise LimitNOFILE (or ulimit -n) to ${DESCRIPTORS_MIN} or more: each watcher holds one`;
  return [{ name: 'limits', state: 'notice', found, advice }];
}

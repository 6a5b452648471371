import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../../domain/contract/appliance.ts';
import { MICROSECONDS_PER_MS } from '../../../domain/time.ts';
import { isWorthCompacting } from '../../../store/space/compact.ts';
import type { ApplianceParts, DoctorConfig } from '../parts.ts';
import { bad, good, notice } from './finding.ts';

const GB = 1e9;
const MB = 1e6;
/** Each answer waits for one flush: with a slower one a second has at most 20 submissions. */
const FLUSH_MS_MAX = 50;
const FLUSHES = 5;

export async function checkDisk(app: ApplianceParts, { diskFreeBytesMin }: DoctorConfig): Promise<Finding[]> {
  const free = await app.store.freeBytes();
  const found = `${(free / GB).toFixed(1)} GB free, work is refused below ${(diskFreeBytesMin / GB).toFixed(1)} GB`;
  if (free > 2 * diskFreeBytesMin) return [good('disk', found)];
  const advice = 'make room, give plans a retention (mediaDays, recordDays), or move the data folder';
  return [(free > diskFreeBytesMin ? notice : bad)('disk', found, advice)];
}

/** Measures a flush, for which each accepted submission waits. */
export async function checkFlush(app: ApplianceParts): Promise<Finding[]> {
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
    return [bad('flush', String(error), 'the disk takes no writes: make room')];
  } finally {
    await rm(path, { force: true });
  }
  const median = times.toSorted((left, right) => left - right)[FLUSHES >> 1] ?? 0;
  const found = `a flush takes ${median.toFixed(1)} ms`;
  if (median <= FLUSH_MS_MAX) return [good('flush', found)];
  return [notice('flush', found, 'each submission waits for one: put the data folder on a faster disk')];
}

/** The file of the records grows as the disk allows; deleted values leave room inside it. */
export async function checkRecords(app: ApplianceParts): Promise<Finding[]> {
  const damaged = (await app.metrics.damagedRecords.get()).values.reduce((sum, { value }) => sum + value, 0);
  const space = await app.store.space();
  const megabytes = (space.bytes / MB).toFixed(0);
  const free = ((100 * space.freeBytes) / space.bytes).toFixed(0);
  const room = ((await app.store.freeBytes()) / GB).toFixed(1);
  const refused = (await app.metrics.refusedRecords.get()).values[0]?.value ?? 0;
  const met = `${damaged} damaged values and ${refused} records that cannot be shown met since the start`;
  const found = `${megabytes} MB, ${free} % of it free, may grow by ${room} GB; ${met}`;
  if (damaged === 0 && refused > 0) return [bad('records', found, REFUSED_ADVICE)];
  if (damaged === 0 && isWorthCompacting(space)) return [notice('records', found, COMPACT_ADVICE)];
  if (damaged === 0) return [good('records', found)];
  const advice = 'restore the last good backup into a new folder, and have the disk looked at';
  return [bad('records', found, advice)];
}

const REFUSED_ADVICE =
  'the log names them: submit their files again without the cache and delete them, or restore a backup';
const COMPACT_ADVICE =
  'most of the file is free: the next start compacts it, or stop the daemon and run `assay store compact`';

/** A read takes far less than a second. A longer one was not ended, unless it copies the records. */
export const READER_SECONDS_MAX = 60;

export function checkReaders(app: ApplianceParts): Finding[] {
  const { transactions, seconds } = app.store.oldestReader();
  if (transactions === 0) return [good('readers', 'none reads an old state of the records')];
  const found = `the oldest has been behind for ${seconds.toFixed(0)} s, ${transactions} transactions`;
  if (seconds <= READER_SECONDS_MAX) return [good('readers', found)];
  const advice =
    'the records grow with every transaction meanwhile: a backup that is being made ends that by itself; otherwise restart the daemon and report it';
  return [bad('readers', found, advice)];
}

/** Reports originals that were checked since the start: no one reads terabytes for an answer. */
export async function checkOriginals(app: ApplianceParts): Promise<Finding[]> {
  const { values } = await app.metrics.changedOriginals.get();
  const changed = values.reduce((sum, { value }) => sum + value, 0);
  if (changed === 0) return [good('originals', 'none was found changed since the start')];
  const found = `${changed} stored files are not what was submitted; the log names them by hash`;
  const advice =
    'restore the last good backup into a new folder, have the disk looked at, and see docs/security.md';
  return [bad('originals', found, advice)];
}

export function checkBackup(app: ApplianceParts): Finding[] {
  const { folder, lastGoodAt, lastError, isTooOld } = app.backups.status();
  if (folder === null)
    return [notice('backup', 'none is made', 'set backup.dir to a folder on another disk')];
  const when =
    lastGoodAt === null
      ? 'none yet'
      : `last good one ${new Date(lastGoodAt / MICROSECONDS_PER_MS).toISOString()}`;
  if (lastError === null && !isTooOld) return [good('backup', `${when} in ${folder}`)];
  const found = lastError === null ? when : `${when}; the last try failed: ${lastError}`;
  return [bad('backup', found, `look at ${folder}, then run \`assay backup\``)];
}

/** What must be true of a data folder after any kill and the sweep of a start; the daemon must not run. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import type { Classification } from '../../src/domain/records/classification.ts';
import type { StoreReader } from '../../src/store/reader.ts';
import { Store } from '../../src/store/store.ts';

export interface BooksReport {
  problems: string[];
  records: number;
  open: number;
  errored: number;
}

const ADMIN_ID = 1;
const RECORDS_MAX = 1_000_000;

/** `accepted` are identifiers that a client was answered with. */
export async function readBooks(
  folder: string,
  accepted: Iterable<string>,
  price: number,
): Promise<BooksReport> {
  await using store = await Store.open({ folder });
  await store.sweepOrphans(new AbortController().signal);
  const { read } = store;
  const records = read.records.list({ accountId: ADMIN_ID, limit: RECORDS_MAX });
  const known = new Set(records.map(({ identifier }) => identifier));
  const problems = [...accepted].filter((it) => !known.has(it)).map((it) => `lost: ${it}`);
  problems.push(...ledgerProblems(read, records, price), ...fileProblems(folder, read, records));
  const states = records.map(({ analysisId }) => read.analyses.get(analysisId)?.state ?? 'missing');
  if (states.includes('missing')) problems.push('a record without its analysis');
  const open = states.filter((state) => state === 'queued' || state === 'running').length;
  const errored = states.filter((state) => state === 'errored').length;
  return { problems, records: records.length, open, errored };
}

function ledgerProblems(read: StoreReader, records: readonly Classification[], price: number): string[] {
  const problems: string[] = [];
  const lines = read.ledger(ADMIN_ID);
  const sum = lines.reduce((total, { amount }) => total + amount, 0);
  const { available } = read.balance(ADMIN_ID);
  if (sum !== available) problems.push(`the ledger adds up to ${sum}, the balance is ${available}`);
  if (lines.some(({ sequence }, index) => sequence !== index + 1)) problems.push('the ledger has a gap');
  const paid = new Map<string, number>();
  for (const { identifier, amount, reason } of lines) {
    if (reason !== 'grant') paid.set(identifier, (paid.get(identifier) ?? 0) - amount);
  }
  for (const { identifier, credits } of records) {
    const found = paid.get(identifier) ?? 0;
    if (found !== credits) problems.push(`${identifier} cost ${found}, its record says ${credits}`);
    if (found !== 0 && found !== price) problems.push(`${identifier} cost ${found}, expected 0 or ${price}`);
    paid.delete(identifier);
  }
  for (const [identifier, credits] of paid)
    if (credits !== 0) problems.push(`charged without a record: ${identifier}`);
  return problems;
}

function fileProblems(folder: string, read: StoreReader, records: readonly Classification[]): string[] {
  const blobs = new Set(globSync('blobs/*/*', { cwd: folder }).map((path) => basename(path)));
  const needed = new Set(records.map(({ hash }) => hash).filter((hash) => hash !== ''));
  return [
    ...[...blobs].filter((hash) => !needed.has(hash)).map((hash) => `orphan: blobs/${hash}`),
    ...[...needed].filter((hash) => !blobs.has(hash)).map((hash) => `missing: blobs/${hash}`),
    ...globSync('uploads/*', { cwd: folder }).map((path) => `temporary: ${path}`),
    ...globSync('artifacts/*/*.partial', { cwd: folder }).map((path) => `temporary: ${path}`),
    ...globSync('artifacts/*', { cwd: folder })
      .filter((path) => read.analyses.get(basename(path)) === undefined)
      .map((path) => `orphan: ${path}`),
  ];
}

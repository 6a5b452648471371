/** Reads a data folder: files of work under way, and the books of a store that no daemon holds. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { Store } from '../../../src/store/store.ts';

const ADMIN_ID = 1;

export function uploadFiles(folder: string): string[] {
  return globSync('uploads/*', { cwd: folder });
}

export function jobInputs(folder: string): string[] {
  return globSync('jobs/*/in/*', { cwd: folder });
}

function blobHashes(folder: string): string[] {
  return globSync('blobs/*/*', { cwd: folder }).map((path) => basename(path));
}

/** Every record done with its file and one charge of `price`; no other file or line. The daemon must not run. */
export async function assertBooks(folder: string, identifiers: readonly string[], price: number) {
  const blobsBefore = blobHashes(folder).sort();
  await using store = await Store.open({ folder });
  const records = store.read.records.list({ accountId: ADMIN_ID, limit: 1000 });
  for (const identifier of identifiers) {
    ok(
      records.some((record) => record.identifier === identifier),
      `${identifier} is lost`,
    );
  }
  for (const record of records) equal(store.read.analyses.get(record.analysisId)?.state, 'done');
  deepEqual([...store.read.openAnalyses()], []);
  deepEqual(blobsBefore, [...new Set(records.map(({ hash }) => hash))].sort(), 'orphan or missing blobs');
  const lines = store.read.ledger(ADMIN_ID);
  const balance = store.read.balance(ADMIN_ID);
  equal(
    lines.reduce((sum, { amount }) => sum + amount, 0),
    balance.available,
  );
  deepEqual(
    lines.map(({ sequence }) => sequence),
    lines.map((_, index) => index + 1),
  );
  equal(balance.spent, records.length * price);
  const charges = lines.filter(({ reason }) => reason !== 'grant');
  if (price === 0) return deepEqual(charges, []);
  deepEqual(charges.map(({ identifier }) => identifier).sort(), records.map((r) => r.identifier).sort());
  ok(charges.every(({ reason, amount }) => reason === 'charge' && amount === -price));
}

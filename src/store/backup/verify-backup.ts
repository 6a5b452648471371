/** The custody log of a backup, verified where the backup lies and without a daemon. Nothing in the backup is changed. */
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustodyReport } from '../../domain/contract/custody.ts';
import { verifyCustody } from '../custody/verify.ts';
import { openRecordsCopy } from '../records-copy.ts';
import { BadBackupError } from '../restore-mark.ts';
import { PUBLIC_FILE } from './backup.ts';
import { hashFile, readListing, readManifest } from './listing.ts';

const RECORDS_FILE = 'records/data.mdb';
const RAW_KEY_BYTES = 32;
/** The first one with a custody log. */
const CUSTODY_FORMAT = 3;

/** Throws BadBackupError if the folder is no backup, its records are not what was written, or it is too old. */
export async function verifyBackupCustody(backup: string, signal: AbortSignal): Promise<CustodyReport> {
  const { formatVersion, createdAt } = await readManifest(backup);
  if (formatVersion < CUSTODY_FORMAT) {
    throw new BadBackupError(
      `the backup ${backup} of ${createdAt} is older than the custody log: it has none`,
    );
  }
  await assertRecordsWhole(backup, signal);
  const publicKeys = await readPublicKeys(backup);
  await using records = await openRecordsCopy(join(backup, 'records'));
  return await verifyCustody(records.read.custody, { publicKeys, signal });
}

/** Checked before the records are opened: damaged pages can end the process. */
async function assertRecordsWhole(backup: string, signal: AbortSignal): Promise<void> {
  for await (const { path, sha256 } of readListing(backup)) {
    if (path !== RECORDS_FILE) continue;
    const found = await hashFile(join(backup, path), signal).catch(() => undefined);
    if (found?.sha256 === sha256) return;
    throw new BadBackupError(`${join(backup, path)}: its bytes have changed since the backup was made`);
  }
  throw new BadBackupError(`the backup ${backup} holds no ${RECORDS_FILE}`);
}

/** Keys as machinery/signing-key.ts keeps them. Null if the backup has none: signatures are then not judged. */
async function readPublicKeys(backup: string): Promise<Buffer[] | null> {
  const text = await readFile(join(backup, PUBLIC_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return null;
  try {
    const { keys } = JSON.parse(text) as { keys: { publicKeyPem: string }[] };
    return keys.map(({ publicKeyPem }) => {
      const key = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
      return key.subarray(-RAW_KEY_BYTES);
    });
  } catch {
    throw new BadBackupError(
      `${join(backup, PUBLIC_FILE)} is damaged: expected the public signing keys of the box`,
    );
  }
}

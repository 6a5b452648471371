/** Timestamps of packages: ordered beside the record of an export, asked for once, and read. */
import { AppError, badField } from '../../domain/errors.ts';
import type {
  PackageTimestamps,
  TimestampAnswer,
  TimestampRequest,
} from '../../domain/records/package-timestamps.ts';
import type { SignedPackage } from '../../evidence/package-writer.ts';
import { judgeTimestamp, TimestampError, toTimestampQuery } from '../../evidence/timestamps/timestamp.ts';
import { askAuthority, NoReplyError } from '../../machinery/timestamp-authority.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { Principal } from '../callers/principal.ts';
import type { AppConfig, Core } from '../core.ts';

interface StampedPackage extends Pick<SignedPackage, 'tagManifestSha256' | 'signature'> {
  accountId: number;
  /** Records that name the package. */
  identifiers: string[];
}

/** Runs in the transaction that records the package, so that a kill loses no question. Does nothing without authorities. */
export function orderTimestamps(
  { config, clock }: Pick<Core, 'config' | 'clock'>,
  tx: StoreTransaction,
  { tagManifestSha256: packageSha256, signature, accountId, identifiers }: StampedPackage,
): void {
  if (config.timestampAuthorities.length === 0) return;
  const now = clock.now();
  const requests = config.timestampAuthorities.map(
    (authority): TimestampRequest => ({ authority, state: 'waiting', time: null, error: '', reply: null }),
  );
  const about = { packageSha256, signature: new Uint8Array(signature), accountId, identifiers };
  tx.putTimestamps({ ...about, createdAt: now, attempts: 0, nextAttemptAt: now, requests });
}

/** Rejects only if `signal` aborted. A reply that does not stamp the bytes does not count. */
export async function askForTimestamp(
  { timestampRootsPem: rootsPem, fetchAllowNetworks: allowNetworks }: AppConfig,
  url: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<TimestampAnswer> {
  const { query, nonce } = toTimestampQuery(bytes);
  try {
    const reply = await askAuthority({ url, query, allowNetworks }, signal);
    const { time } = await judgeTimestamp(reply, { bytes, nonce, rootsPem });
    return { reply, time };
  } catch (error) {
    if (error instanceof NoReplyError) return { error: error.message };
    if (error instanceof TimestampError) return { error: `its answer ${error.message}` };
    throw error;
  }
}

export interface PackageOrder {
  principal: Principal;
  /** SHA-256 of the signed list of its files, hex. */
  packageSha256: string;
}

/** Throws `media` if the account made no such package, or no authority was asked for it. */
export function getPackageTimestamps(
  { store }: Pick<Core, 'store'>,
  { principal, packageSha256 }: PackageOrder,
): PackageTimestamps {
  if (!/^[0-9a-f]{64}$/.test(packageSha256)) {
    throw badField(
      'package_sha256',
      'expected the SHA-256 of a package’s signed list of files, 64 hex digits',
    );
  }
  const found = store.read.timestampsOf(packageSha256);
  if (found === undefined || found.accountId !== principal.account.id) {
    throw new AppError('media', 'no timestamp authority was asked for such a package');
  }
  return found;
}

/** DER of the received replies. */
export function repliesOf(timestamps: PackageTimestamps | undefined): Uint8Array[] {
  return (timestamps?.requests ?? []).flatMap(({ reply }) => reply ?? []);
}

/** Judges each token beside a package's signature by itself: a token for other bytes is a fault of its own file. */
import { showText } from '../domain/shown-text.ts';
import { formatTime } from '../domain/time.ts';
import { MEMBERS, TIMESTAMP_PATTERN } from './members.ts';
import { judgeTimestamp, readRoots, type Timestamp, TimestampError } from './timestamps/timestamp.ts';
import type { ReadPackage } from './zip-reader.ts';

/** The root that the authority's certificate leads to. A root in the package itself vouches for no one. */
export const TIMESTAMP_ROOTS = ['given', 'in_package', 'not_checked'] as const;

export interface JudgedTimestamp {
  member: string;
  /** By the authority's clock, ISO 8601. */
  time: string;
  authority: string;
  serialNumber: string;
  root: (typeof TIMESTAMP_ROOTS)[number];
}

/** Tokens that stamp the signature; faults of others are added to the package's. `rootsPem`: null if none were given. */
export async function judgeTimestamps(
  read: ReadPackage,
  rootsPem: string | null,
): Promise<JudgedTimestamp[]> {
  const signature = read.texts.get(MEMBERS.signature);
  const chain = read.texts.get(MEMBERS.tsaChain)?.toString('utf8') ?? null;
  const fault = (member: string, error: unknown): void => {
    if (!(error instanceof TimestampError)) throw error;
    read.faults.push({ member, fault: error.message });
  };
  let packageRoots = chain;
  try {
    if (chain !== null) readRoots(chain);
  } catch (error) {
    fault(MEMBERS.tsaChain, error);
    packageRoots = null;
  }
  const judged: JudgedTimestamp[] = [];
  const members = [...read.hashes.keys()].filter((member) => TIMESTAMP_PATTERN.test(member)).sort();
  for (const member of members) {
    const reply = read.texts.get(member);
    if (signature === undefined || reply === undefined) continue;
    const roots = rootsPem ?? packageRoots;
    const root = rootsPem !== null ? 'given' : packageRoots === null ? 'not_checked' : 'in_package';
    try {
      judged.push({
        member,
        ...toShown(await judgeTimestamp(reply, { bytes: signature, rootsPem: roots })),
        root,
      });
    } catch (error) {
      fault(member, error);
    }
  }
  return judged;
}

function toShown({
  time,
  authority,
  serialNumber,
}: Timestamp): Pick<JudgedTimestamp, 'time' | 'authority' | 'serialNumber'> {
  return { time: formatTime(time), authority: showText(authority), serialNumber };
}

/** Differences between versions of nats-server. Pure. */

/** The first that knows `sync_interval`; without it an acknowledged message may be two minutes from the disk. */
const SYNC_SINCE = [2, 10] as const;

/** `version` in the server's form: `2.9.10`. */
export function knowsSyncInterval(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > SYNC_SINCE[0] || (major === SYNC_SINCE[0] && minor >= SYNC_SINCE[1]);
}

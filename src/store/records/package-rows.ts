/** Rows of packages that went out: what records said in them, and the timestamp authorities that are asked for them. */
import type { RecordExports } from '../../domain/records/exported-reading.ts';
import type { PackageTimestamps } from '../../domain/records/package-timestamps.ts';
import { TIMESTAMPS } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';

/** All exports of a record from now on. With the last of its records goes what is known of a package. */
export function putExports(tables: Tables, identifier: string, exports: RecordExports): void {
  const kept = new Set(exports.exports.map(({ packageSha256 }) => packageSha256));
  for (const { packageSha256 } of tables.exports.getUnlessDamaged(identifier)?.exports ?? []) {
    const stamped = kept.has(packageSha256) ? undefined : tables.timestamps.getUnlessDamaged(packageSha256);
    if (stamped === undefined) continue;
    const identifiers = stamped.identifiers.filter((other) => other !== identifier);
    if (identifiers.length > 0) putTimestamps(tables, { ...stamped, identifiers });
    else TIMESTAMPS.remove(tables, packageSha256, stamped);
  }
  if (kept.size > 0) tables.exports.put(identifier, exports);
  else tables.exports.remove(identifier);
}

export function putTimestamps(tables: Tables, timestamps: PackageTimestamps): void {
  const before = tables.timestamps.getUnlessDamaged(timestamps.packageSha256);
  TIMESTAMPS.put(tables, timestamps.packageSha256, timestamps, before);
}

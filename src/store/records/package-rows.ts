/** Rows of exported packages: what records said in them, and the timestamp authorities that are asked for them. */
import type { RecordExports } from '../../domain/records/exported-reading.ts';
import type { PackageTimestamps } from '../../domain/records/package-timestamps.ts';
import { TIMESTAMPS } from '../tables/collections.ts';
import type { Tables } from '../tables/schema.ts';

/** Replaces all exports of a record. The data of a package goes with the last of its records. */
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

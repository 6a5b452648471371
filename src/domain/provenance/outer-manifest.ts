/** A manifest that does not lie in its file: one that came beside it, or one at an address that the file names. Pure. */
import { z } from 'zod';
import { formatOf } from '../media/formats.ts';
import { MANIFEST_SOURCES, type ManifestSource } from './manifest-facts.ts';

export type OuterSource = Exclude<ManifestSource, 'embedded'>;

/** As it is kept with its analysis. */
export interface OuterManifest {
  source: OuterSource;
  bytes: Uint8Array;
  /** SHA-256, hex. */
  hash: string;
  /** Where it was fetched from; empty of one beside the file. */
  address: string;
}

/** 2 MB: real ones have 10 to 700 KB, most of it thumbnails; it lies in one message and in one value of the store. */
export const OUTER_MANIFEST_BYTES_MAX = 2 * 1024 * 1024;

/** What became of it. `embedded_speaks`: the file holds one of its own, which is the one that counts (C2PA 2.4, 15.5). */
export const OUTER_OUTCOMES = [
  ...(['read', 'unreadable', 'embedded_speaks', 'format_not_readable'] as const),
  ...(['host_not_allowed', 'not_fetched', 'no_manifest'] as const),
] as const;
export type OuterOutcome = (typeof OUTER_OUTCOMES)[number];

export const outerReadingSchema = z.strictObject({
  source: z.enum(MANIFEST_SOURCES),
  outcome: z.enum(OUTER_OUTCOMES),
  /** Host and port of one at an address; empty of one beside the file. */
  host: z.string().max(1000),
  /** SHA-256 of the manifest, hex; empty if there is none. */
  sha256: z.string().max(64),
  /** Why it was not fetched; empty otherwise. */
  reason: z.string().max(1000),
});
export type OuterReading = z.infer<typeof outerReadingSchema>;

const HEAD_BYTES = 32;
/** The type of a description box whose super box is a C2PA manifest store (C2PA 2.4, 11.1.4.2). */
const STORE_TYPE = Buffer.from('6332706100110010800000aa00389b71', 'hex');

/** By its first two boxes; what lies in it is for a decode child to read. */
export function isManifestStore(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD_BYTES) return false;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  const [outer, inner] = [head.toString('latin1', 4, 8), head.toString('latin1', 12, 16)];
  return outer === 'jumb' && inner === 'jumd' && head.subarray(16).equals(STORE_TYPE);
}

/** Whether manifests of such files can be read at all. */
export function canHoldManifest(mime: string): boolean {
  return formatOf(mime)?.c2pa !== undefined;
}

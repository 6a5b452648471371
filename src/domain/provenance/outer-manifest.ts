/** A manifest outside its file: one that came beside it, or one at an address that the file names. Pure. */
import { formatOf } from '../media/formats.ts';
import type { ManifestSource } from './manifest-facts.ts';

export type OuterSource = Exclude<ManifestSource, 'embedded'>;

export interface OuterManifest {
  source: OuterSource;
  bytes: Uint8Array;
  /** SHA-256, hex. */
  hash: string;
  /** The address that it was fetched from; empty for one beside the file. */
  address: string;
}

/** 2 MB: real ones have 10 to 700 KB, most of it thumbnails; it lies in one message and in one value of the store. */
export const OUTER_MANIFEST_BYTES_MAX = 2 * 1024 * 1024;

const HEAD_BYTES = 32;
/** The type of a description box whose super box is a C2PA manifest store (C2PA 2.4, 11.1.4.2). */
const STORE_TYPE = Buffer.from('6332706100110010800000aa00389b71', 'hex');

/** Decided by its first two boxes; a decode child reads the rest. */
export function isManifestStore(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD_BYTES) return false;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  const [outer, inner] = [head.toString('latin1', 4, 8), head.toString('latin1', 12, 16)];
  return outer === 'jumb' && inner === 'jumd' && head.subarray(16).equals(STORE_TYPE);
}

/** Whether manifests of such files can be read. */
export const canHoldManifest = (mime: string): boolean => formatOf(mime)?.c2pa !== undefined;

/** A manifest that is sent beside its file: bounded, and recognised before anything is stored. A decode child reads it. */
import { createHash } from 'node:crypto';
import { AppError, badField } from '../../domain/errors.ts';
import {
  isManifestStore,
  OUTER_MANIFEST_BYTES_MAX,
  type OuterManifest,
} from '../../domain/provenance/outer-manifest.ts';
import { readBounded } from '../../machinery/read-bounded.ts';

/** The field that faults of the manifest name. */
export const SIDECAR_FIELD = 'manifest';

/** Throws `too_large`, or `bad_field` if it is no manifest. */
export function parseSidecar(bytes: Uint8Array): OuterManifest {
  if (bytes.length > OUTER_MANIFEST_BYTES_MAX) throw sidecarTooLarge(bytes.length);
  if (!isManifestStore(bytes)) {
    const found = bytes.length === 0 ? 'an empty file' : `${bytes.length} bytes that are none`;
    throw badField(SIDECAR_FIELD, `expected a C2PA manifest store (a .c2pa file), found ${found}`);
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  // A copy, since the bytes may be part of a larger message.
  return { source: 'sidecar', bytes: Uint8Array.from(bytes), hash, address: '' };
}

/** Throws as soon as there are too many bytes. */
export async function readSidecar(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return await readBounded(pieces, OUTER_MANIFEST_BYTES_MAX, (bytes) => sidecarTooLarge(bytes, 'at least '));
}

function sidecarTooLarge(actualBytes: number, qualifier = ''): AppError {
  const description = `the manifest has ${qualifier}${actualBytes} bytes, the maximum is ${OUTER_MANIFEST_BYTES_MAX} bytes`;
  return new AppError('too_large', description, {
    fields: [{ field: SIDECAR_FIELD, description }],
    metadata: { actual_bytes: String(actualBytes), maximum_bytes: String(OUTER_MANIFEST_BYTES_MAX) },
  });
}

/** The C2PA manifest beside a file of a watched folder: found, awaited while it is written, read, and moved along. */
import { lstat } from 'node:fs/promises';
import { codeOf } from '../../domain/error-code.ts';
import { OUTER_MANIFEST_BYTES_MAX } from '../../domain/provenance/outer-manifest.ts';
import { findSidecarName, renamedSidecar } from '../../domain/provenance/sidecar-name.ts';
import { type FileLook, isSameLook, toLook } from '../../machinery/file-look.ts';
import type { SafeFolder } from '../../machinery/safe-folder.ts';
import { moveFile } from './move-file.ts';

export interface ManifestBeside extends FileLook {
  name: string;
}

/** Undefined if there is none. Throws file system errors. */
export async function findManifest(folder: SafeFolder, name: string): Promise<ManifestBeside | undefined> {
  const found = await findSidecarName(name, async (other) => (await lookAt(folder, other)) !== null);
  if (found === undefined) return undefined;
  const look = await lookAt(folder, found);
  return look === null ? undefined : { name: found, ...look };
}

/** Undefined if it was exchanged meanwhile. Reads no more than shows that it is too large. */
export async function readManifest(
  folder: SafeFolder,
  manifest: ManifestBeside,
): Promise<Uint8Array | undefined> {
  await using file = await folder.openFile(manifest.name);
  const bytes = Buffer.alloc(Math.min(manifest.sizeBytes, OUTER_MANIFEST_BYTES_MAX + 1));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  const found = await file.stat({ bigint: true });
  if (!found.isFile() || !isSameLook(toLook(found), manifest)) return undefined;
  return bytes.subarray(0, bytesRead);
}

/** Moved before its file, so that a kill leaves nothing behind; without a free name it stays. */
export async function moveManifest(
  { source, name }: { source: SafeFolder; name: string },
  { target, free }: { target: SafeFolder; free: string },
): Promise<void> {
  const manifest = await findManifest(source, name);
  if (manifest === undefined) return;
  const to = renamedSidecar(manifest.name, name, free);
  if ((await lookAt(target, to)) === null) await moveFile(source.within(manifest.name), target.within(to));
}

async function lookAt(folder: SafeFolder, name: string): Promise<FileLook | null> {
  try {
    const found = await lstat(folder.within(name), { bigint: true });
    return found.isFile() ? toLook(found) : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENAMETOOLONG') return null;
    throw error;
  }
}

/** A NuGet package of GPU libraries, made here: the files by name, in a zip. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export async function writeNugetPackage(
  path: string,
  files: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

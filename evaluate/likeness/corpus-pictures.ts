/** Pictures of a manifest of the corpus (models/training/corpus), decoded as the appliance does it, and what was described of them before. */
import { existsSync, mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DECODE_LIMITS } from '../../src/engine/decode/decode-limits.ts';
import { MediaFaultFound } from '../../src/worker/media/media-fault.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { readHeader } from '../../src/worker/pictures/header.ts';
import { decodePixels } from '../../src/worker/pictures/pixels.ts';

export interface CorpusPicture {
  path: string;
  sha256: string;
  group: string;
  owner: string;
}

/** Lists the pictures that exist, shuffled, so that an interrupted run is a sample of all. */
export async function readManifest(manifest: string, folder: string): Promise<CorpusPicture[]> {
  const [head = '', ...lines] = (await readFile(manifest, 'utf8')).trimEnd().split('\n');
  const columns = head.split('\t');
  const found = lines.map((line): CorpusPicture => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [owner = ''] = cell('repository').toLowerCase().split('/');
    return { path: join(folder, cell('file')), sha256: cell('sha256'), group: cell('group'), owner };
  });
  const present = found.filter(({ path }) => existsSync(path));
  console.log(`${present.length} of ${found.length} pictures are there`);
  return present.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** Reads descriptions of an earlier run from a folder. */
export class DescribedPictures {
  readonly #folder: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
  }

  async read(name: string, describe: () => Promise<string[]>): Promise<string[]> {
    const path = join(this.#folder, `${name}.json`);
    const former = await readFile(path, 'utf8').catch(() => null);
    if (former !== null) return JSON.parse(former);
    const packed = await describe();
    await writeFile(path, JSON.stringify(packed));
    return packed;
  }
}

/** Null if it cannot be decoded. */
export async function decodePicture({ path }: CorpusPicture): Promise<Picture | null> {
  try {
    return (await decodePixels(await readHeader(path, DECODE_LIMITS))).picture;
  } catch (error) {
    if (!(error instanceof MediaFaultFound)) throw error;
    return null;
  }
}

/** Which packs answered: what a figure says of a model holds for these bytes only. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelPackSchema } from '../src/domain/packs/model-pack.ts';
import { describeFault } from '../src/domain/packs/schema-fault.ts';
import { FolderError } from './labelled-folder.ts';

export interface PackIdentity {
  id: string;
  version: string;
  task: string;
  /** Of the model file; of a model that is made from an npm package, of what is made. */
  sha256: string;
}

export interface PackFolder extends PackIdentity {
  folder: string;
}

/** The packs one level below a folder, by id. Throws a FolderError that names what is no pack. */
export async function readPackFolders(parent: string): Promise<PackFolder[]> {
  const entries = await readdir(parent, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
  const folders = names.map((name) => join(parent, name));
  return await Promise.all(
    folders.filter((folder) => existsSync(join(folder, 'model.json'))).map(readPackFolder),
  );
}

async function readPackFolder(folder: string): Promise<PackFolder> {
  const path = join(folder, 'model.json');
  const parsed = modelPackSchema.safeParse(parseJson(path, await readFile(path, 'utf8')));
  if (!parsed.success) throw new FolderError(`${path}: ${describeFault(parsed.error)}`);
  const { id, version, task, sha256 } = parsed.data;
  return { id, version, task, sha256, folder };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FolderError(`${path}: expected JSON, found ${error instanceof Error ? error.message : error}`);
  }
}

export function toIdentity({ id, version, task, sha256 }: PackIdentity): PackIdentity {
  return { id, version, task, sha256 };
}

const SHORT_HASH_CHARACTERS = 12;

/** As a journal names it: a pack that was trained again may keep its version. */
export function describePack({ id, version, sha256 }: PackIdentity): string {
  return `${id}@${version}#${sha256.slice(0, SHORT_HASH_CHARACTERS)}`;
}

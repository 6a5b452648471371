/** Renditions, a folder per owner (file or analysis): in no backup, the least used go first, none outlives its source. */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { RenditionFigures } from '../domain/media/rendition.ts';
import { renditionFigures } from '../domain/media/rendition-figures.ts';
import type { OpenFile } from './artifacts.ts';
import { flushFolder } from './space/folder.ts';

export interface StoredRendition {
  figures: RenditionFigures;
  files: StoredRenditionFile[];
}

export interface StoredRenditionFile {
  name: string;
  path: string;
  sizeBytes: number;
  /** SHA-256, hex. */
  hash: string;
}

export interface NewRendition {
  figures: RenditionFigures;
  /** Copied, since their maker may still write to them. */
  files: { name: string; source: OpenFile }[];
}

interface Kept {
  owner: string;
  name: string;
  sizeBytes: number;
  usedAtMs: number;
}

const MANIFEST = 'manifest.json';
/** Raised when renditions are made otherwise: older ones are then made anew. */
const RECIPE = 1;
const PARTIAL_PREFIX = '.partial-';
/** Bounds how often a use is written down: a player asks for a film in hundreds of pieces. */
const USE_INTERVAL_MS = 60_000;

const manifest = z.strictObject({
  recipe: z.literal(RECIPE),
  figures: renditionFigures,
  files: z.array(z.strictObject({ name: z.string(), sizeBytes: z.int().min(0), hash: z.string() })),
});

export class RenditionStore {
  readonly #folder: string;
  readonly #hasSource: (owner: string) => boolean;
  readonly #kept = new Map<string, Kept>();

  /** `hasSource`: whether the file that the owner's renditions were made of is still stored. */
  constructor(dataFolder: string, hasSource: (owner: string) => boolean) {
    this.#folder = join(dataFolder, 'renditions');
    this.#hasSource = hasSource;
  }

  /** Removes the unfinished renditions of a killed daemon. */
  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const owner of await readdir(this.#folder))
      if (owner.startsWith(PARTIAL_PREFIX)) await this.removeAll(owner);
  }

  /** Measures what is kept, for `trim`, and removes renditions without a source. Runs beside work. */
  async sweep(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const owner of await readdir(this.#folder)) {
      if (signal.aborted) break;
      if (owner.startsWith(PARTIAL_PREFIX)) continue;
      if (this.#hasSource(owner)) {
        const names = await readdir(join(this.#folder, owner)).catch(() => []);
        for (const name of names) await this.#note(owner, name);
      } else {
        await this.removeAll(owner);
        removed += 1;
      }
    }
    return removed;
  }

  /** Whether the owner's renditions may be made or kept. */
  isWanted(owner: string): boolean {
    return this.#hasSource(owner);
  }

  get sizeBytes(): number {
    return [...this.#kept.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Undefined if there is none or it cannot be read: it is then made again. */
  async find(owner: string, name: string): Promise<StoredRendition | undefined> {
    const found = await this.#read(owner, name);
    if (found === undefined) return undefined;
    const kept = this.#kept.get(keyOf(owner, name)) ?? (await this.#note(owner, name));
    if (kept !== undefined) await this.#noteUse(kept);
    return found;
  }

  /** Copies, flushes and renames, so that a reader sees all or nothing. Undefined if the source has gone meanwhile. */
  async put(owner: string, name: string, made: NewRendition): Promise<StoredRendition | undefined> {
    const partial = join(this.#folder, `${PARTIAL_PREFIX}${randomBytes(8).toString('hex')}`);
    await mkdir(partial, { mode: 0o700 });
    try {
      const files = [];
      for (const { name: file, source } of made.files) {
        files.push({ name: file, ...(await writeHashed(join(partial, file), source)) });
      }
      const text = JSON.stringify({ recipe: RECIPE, figures: made.figures, files });
      await writeFile(join(partial, MANIFEST), text, { flush: true });
      await flushFolder(partial);
      await mkdir(join(this.#folder, owner), { recursive: true, mode: 0o700 });
      await rm(this.#pathOf(owner, name), { recursive: true, force: true });
      // Nothing else runs between this look and the new name, so a deletion finds either no source or the rendition.
      if (this.#hasSource(owner)) {
        renameSync(partial, this.#pathOf(owner, name));
      } else {
        await this.removeAll(owner);
        return undefined;
      }
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    await this.#note(owner, name);
    return await this.#read(owner, name);
  }

  /** Removes the least recently used ones until at most `bytesMax` are kept; never `last`. */
  async trim(bytesMax: number, last: { owner: string; name: string }): Promise<number> {
    let excess = this.sizeBytes - bytesMax;
    if (excess <= 0) return 0;
    let removed = 0;
    const oldestFirst = [...this.#kept.values()].sort((left, right) => left.usedAtMs - right.usedAtMs);
    for (const kept of oldestFirst) {
      if (excess <= 0) break;
      if (kept.owner === last.owner && kept.name === last.name) continue;
      await this.#remove(kept);
      excess -= kept.sizeBytes;
      removed += 1;
    }
    return removed;
  }

  async removeAll(owner: string): Promise<void> {
    for (const [key, kept] of this.#kept) if (kept.owner === owner) this.#kept.delete(key);
    await rm(join(this.#folder, owner), { recursive: true, force: true });
  }

  #pathOf(owner: string, name: string): string {
    return join(this.#folder, owner, name);
  }

  /** Undefined if a deletion or a sweep took it meanwhile. */
  async #note(owner: string, name: string): Promise<Kept | undefined> {
    const folder = this.#pathOf(owner, name);
    const kept: Kept = { owner, name, sizeBytes: 0, usedAtMs: 0 };
    for (const file of await readdir(folder).catch(() => [])) {
      const found = await stat(join(folder, file)).catch(() => undefined);
      kept.sizeBytes += found?.size ?? 0;
      if (file === MANIFEST) kept.usedAtMs = found?.mtimeMs ?? 0;
    }
    if (kept.sizeBytes === 0) return undefined;
    this.#kept.set(keyOf(owner, name), kept);
    return kept;
  }

  async #noteUse(kept: Kept): Promise<void> {
    const now = Date.now();
    if (now - kept.usedAtMs < USE_INTERVAL_MS) return;
    kept.usedAtMs = now;
    const seconds = now / 1000;
    // A sweep may have taken it at this moment.
    await utimes(join(this.#pathOf(kept.owner, kept.name), MANIFEST), seconds, seconds).catch(
      () => undefined,
    );
  }

  async #read(owner: string, name: string): Promise<StoredRendition | undefined> {
    const folder = this.#pathOf(owner, name);
    const { data } = manifest.safeParse(await readJson(join(folder, MANIFEST)));
    if (data === undefined || !data.files.every((file) => existsSync(join(folder, file.name))))
      return undefined;
    return {
      figures: data.figures,
      files: data.files.map((file) => ({ ...file, path: join(folder, file.name) })),
    };
  }

  async #remove({ owner, name }: Kept): Promise<void> {
    this.#kept.delete(keyOf(owner, name));
    await rm(this.#pathOf(owner, name), { recursive: true, force: true });
  }
}

const keyOf = (owner: string, name: string): string => `${owner}/${name}`;

async function writeHashed(path: string, source: OpenFile): Promise<{ sizeBytes: number; hash: string }> {
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const chunk of source.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(hashed, createWriteStream(path, { flush: true }));
  return { sizeBytes: source.sizeBytes, hash: hash.digest('hex') };
}

/** Undefined for a file that is missing or no JSON: the rendition is then made again. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

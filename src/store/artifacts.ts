/** Files that an analysis made (its heatmap), in one folder per analysis. */
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { renameDurably } from './space/folder.ts';

/** Folders looked up between two turns of the event loop. */
const SWEEP_BATCH_MAX = 100;

/** An open file. Its maker may be hostile and exchange its name for another file, so it is given without a name. */
export interface OpenFile {
  readonly sizeBytes: number;
  /** Can be read from the beginning as often as needed; `sizeBytes` in all. */
  chunks(): AsyncIterable<Uint8Array>;
}

export class ArtifactStore {
  readonly #folder: string;
  readonly #onRemoved: (analysisId: string) => Promise<void>;

  /** `onRemoved` removes what was derived from the artifacts. */
  constructor(dataFolder: string, onRemoved: (analysisId: string) => Promise<void>) {
    this.#onRemoved = onRemoved;
    this.#folder = join(dataFolder, 'artifacts');
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
  }

  pathOf(analysisId: string, name: string): string {
    return join(this.#folder, analysisId, name);
  }

  isThere(analysisId: string): boolean {
    return existsSync(join(this.#folder, analysisId));
  }

  /** Copies, flushes and renames, so that a reader sees the whole file or none. */
  async put(analysisId: string, name: string, source: OpenFile): Promise<void> {
    await mkdir(join(this.#folder, analysisId), { recursive: true });
    const path = this.pathOf(analysisId, name);
    const partial = `${path}.partial`;
    await pipeline(source.chunks(), createWriteStream(partial, { flush: true }));
    await renameDurably(partial, path);
  }

  /** Gives the other analysis the files that it lacks. Repeating it after a kill ends the same. */
  async adopt(fromId: string, toId: string): Promise<void> {
    if (!this.isThere(fromId)) return;
    await mkdir(join(this.#folder, toId), { recursive: true });
    for (const name of await readdir(join(this.#folder, fromId))) {
      const isWhole = !name.endsWith('.partial');
      if (isWhole && !existsSync(this.pathOf(toId, name))) {
        await renameDurably(this.pathOf(fromId, name), this.pathOf(toId, name));
      }
    }
  }

  async removeAll(analysisId: string): Promise<void> {
    await rm(join(this.#folder, analysisId), { recursive: true, force: true });
    await this.#onRemoved(analysisId);
  }

  /** Removes folders of no analysis, beside running work. */
  async sweep(isNeeded: (analysisId: string) => boolean, signal: AbortSignal): Promise<number> {
    const ids = await readdir(this.#folder);
    let removed = 0;
    for (let from = 0; from < ids.length && !signal.aborted; from += SWEEP_BATCH_MAX) {
      const orphans = ids.slice(from, from + SWEEP_BATCH_MAX).filter((id) => !isNeeded(id));
      for (const id of orphans) await this.removeAll(id);
      removed += orphans.length;
      await nextTurn();
    }
    return removed;
  }
}

/** Files that an analysis made (its heatmap), in one folder per analysis. */
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFile, renameDurably } from './folder.ts';

export class ArtifactStore {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'artifacts');
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
  }

  pathOf(analysisId: string, name: string): string {
    return join(this.#folder, analysisId, name);
  }

  /** Copies, flushes and renames: a reader sees the whole file or none. */
  async put(analysisId: string, name: string, sourcePath: string): Promise<void> {
    await mkdir(join(this.#folder, analysisId), { recursive: true });
    const path = this.pathOf(analysisId, name);
    const partial = `${path}.partial`;
    await copyFile(sourcePath, partial);
    await flushFile(partial);
    await renameDurably(partial, path);
  }

  async removeAll(analysisId: string): Promise<void> {
    await rm(join(this.#folder, analysisId), { recursive: true, force: true });
  }

  async sweep(isNeeded: (analysisId: string) => boolean): Promise<number> {
    const orphans = (await readdir(this.#folder)).filter((id) => !isNeeded(id));
    for (const id of orphans) await this.removeAll(id);
    return orphans.length;
  }
}

/** What a worker's result is judged by: the work as it was given, and what came with the result. */
import type { Analysis } from '../../domain/records/classification.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';

export interface JudgedJob {
  analysis: Pick<Analysis, 'kind' | 'options' | 'models'>;
  /** How long the worker had it: no model can have worked longer on it. */
  heldSeconds: number;
  /** The packs of this box as they were when the work was given. */
  findPack: (key: string) => InstalledPack | undefined;
  /** Whether copies of pictures are judged too. */
  stability: boolean;
  /** The files that came. */
  kept: ReadonlyMap<string, { hash: string; sizeBytes: number }>;
}

/** The places of this box and of the workers on others, mixed: each attempt goes to where fewer of the places are taken. */
import { type ModelPack, packKey } from '../../domain/packs/model-pack.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';
import type { EngineConfig } from '../engine-config.ts';
import type { RemotePlaces } from '../remote/remote-places.ts';
import type { ExecutionPlace } from './execution-place.ts';
import type { Workshop } from './workshop.ts';

export interface PlacesParts {
  workshop: Workshop;
  remote: RemotePlaces | null;
  /** There are more or fewer of them. */
  changed: () => void;
}

export class Places implements ExecutionPlace {
  readonly #config: Pick<EngineConfig, 'analysesMax' | 'trustAnchorsPem' | 'stability' | 'analysisTimeoutMs'>;
  readonly #parts: PlacesParts;
  #localRunning = 0;
  #remoteRunning = 0;

  constructor(config: EngineConfig, parts: PlacesParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Lets workers come, once the packs are known that they must have. */
  open(): void {
    const { remote, workshop, changed } = this.#parts;
    const { trustAnchorsPem, stability, analysisTimeoutMs } = this.#config;
    remote?.attach({
      packs: () => (workshop.shelf.usable ?? []).map(({ pack }) => toWanted(pack)),
      terms: { trustAnchorsPem, stability, analysisTimeoutMs },
      changed,
    });
  }

  /** Analyses that may run at once. */
  get count(): number {
    return this.#config.analysesMax + (this.#parts.remote?.places ?? 0);
  }

  async analyse(attempt: Attempt, files: AnalysisFiles): Promise<AnalysisResult> {
    const { workshop, remote } = this.#parts;
    if (remote === null || !this.#isForRemote(remote)) {
      this.#localRunning += 1;
      return await workshop.analyse(attempt, files).finally(() => {
        this.#localRunning -= 1;
      });
    }
    this.#remoteRunning += 1;
    return await remote.analyse(attempt, files).finally(() => {
      this.#remoteRunning -= 1;
    });
  }

  #isForRemote({ places }: RemotePlaces): boolean {
    const { analysesMax } = this.#config;
    if (analysesMax === 0) return true;
    return places > 0 && this.#remoteRunning / places < this.#localRunning / analysesMax + Number.EPSILON;
  }
}

function toWanted(pack: ModelPack): { key: string; sha256: string; tolerance: number } {
  return { key: packKey(pack), sha256: pack.sha256, tolerance: pack.golden.tolerance };
}

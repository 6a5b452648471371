/** The places of this box and of the workers on others, mixed: each attempt goes to where fewer of the places are taken. */
import { AppError } from '../../domain/errors.ts';
import { type ModelPack, packKey } from '../../domain/packs/model-pack.ts';
import type { Analysis } from '../../domain/records/classification.ts';
import type { WaitReason } from '../../domain/records/wait-reason.ts';
import type { AnalysisResult } from '../../domain/verdicts/result.ts';
import type { StoreReader } from '../../store/reader.ts';
import type { AnalysisFiles, Attempt } from '../analyses/analysis-parts.ts';
import type { EngineConfig } from '../engine-config.ts';
import type { WantedPack } from '../remote/refusal.ts';
import type { RemotePlaces } from '../remote/remote-places.ts';
import type { ExecutionPlace } from './execution-place.ts';
import type { LocalWorkshop } from './local-workshop.ts';

export interface PlacesParts {
  workshop: LocalWorkshop;
  remote: RemotePlaces | null;
  read: Pick<StoreReader, 'account' | 'plan'>;
  /** There are more or fewer of them. */
  changed: () => void;
}

export class Places implements ExecutionPlace {
  readonly #config: Pick<EngineConfig, 'analysesMax' | 'trust' | 'stability' | 'analysisTimeoutMs'>;
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
    const { trust, stability, analysisTimeoutMs } = this.#config;
    remote?.attach({
      packs: () => (workshop.shelf.usable ?? []).map(({ pack }) => toWanted(pack)),
      findPack: (key) => workshop.shelf.find(key),
      terms: () => ({ trust: trust(), stability, analysisTimeoutMs }),
      changed,
    });
  }

  /** Analyses that may run at once. */
  get count(): number {
    return this.#config.analysesMax + (this.#parts.remote?.places ?? 0);
  }

  /** Why no place begins any work, or this account's; null where it only waits for its turn. */
  waitReason(accountId?: number): WaitReason | null {
    const { remote } = this.#parts;
    if (this.#config.analysesMax > 0 || remote === null) return null;
    if (accountId === undefined || this.#mayLeave({ accountId })) return remote.waitReason();
    return { step: 'kept-here', sentence: KEPT_HERE };
  }

  async analyse(attempt: Attempt, files: AnalysisFiles): Promise<AnalysisResult> {
    const { workshop, remote } = this.#parts;
    if (remote === null || !this.#isForRemote(remote, attempt.analysis)) {
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

  /** Media that are to vanish leave this box only where their plan says so. */
  #mayLeave({ accountId }: Pick<Analysis, 'accountId'>): boolean {
    const { read } = this.#parts;
    const account = read.account(accountId);
    const plan = account === undefined ? undefined : read.plan(account.planId);
    return plan !== undefined && (!plan.zeroRetention || plan.zeroRetentionOnWorkers);
  }

  /** Throws AppError `starting` where the work must stay on a box that has no places. */
  #isForRemote({ places }: RemotePlaces, analysis: Pick<Analysis, 'accountId'>): boolean {
    const { analysesMax } = this.#config;
    if (!this.#mayLeave(analysis)) {
      if (analysesMax > 0) return false;
      throw new AppError('starting', KEPT_HERE);
    }
    if (analysesMax === 0) return true;
    return places > 0 && this.#remoteRunning / places < this.#localRunning / analysesMax + Number.EPSILON;
  }
}

const KEPT_HERE = 'the plan keeps such media on this box, and all work is done on others';

function toWanted(pack: ModelPack): WantedPack {
  return { key: packKey(pack), sha256: pack.sha256, golden: pack.golden };
}

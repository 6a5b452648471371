/** Processes of providers that build for minutes at each start (TensorRT); others answer meanwhile, and after a loss. */
import type { LoadedPack, PackReport } from '../../worker/protocol/inference-protocol.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import { type InferenceConfig, type InferenceObserver, InferenceProcess } from './inference-process.ts';

/** Far beyond any build; a longer one hangs. */
const PREPARATION_MS_MAX = 3_600_000;
/** A build that ended its process so often would do so forever, and hold the device each time. */
const LOSSES_MAX = 3;

export interface Member {
  readonly process: InferenceProcess;
  /** Patches, windows and sounds in work. */
  load: number;
}

interface PreparationConfig extends InferenceConfig {
  processes: number;
  slowProviders: readonly string[];
}

export class Preparation implements AsyncDisposable {
  readonly #slow: readonly string[];
  readonly #observer: InferenceObserver;
  readonly #members: Member[];
  readonly #since = new Date();
  readonly #overdue: NodeJS.Timeout;
  #losses = 0;
  #reports: readonly PackReport[] | null = null;
  /** Why it was given up; null while it goes on. */
  #givenUp: string | null = null;
  #closing: Promise<unknown> = Promise.resolve();

  constructor(config: PreparationConfig, packs: readonly LoadedPack[], observer: InferenceObserver) {
    this.#slow = config.providers.filter((provider) => config.slowProviders.includes(provider));
    this.#observer = observer;
    const watcher: InferenceObserver = {
      childReady: (...args) => this.#childReady(...args),
      childLost: (...args) => this.#childLost(...args),
      childSaid: (line) => observer.childSaid(line),
    };
    this.#members = Array.from({ length: config.processes }, () => ({
      process: new InferenceProcess(config, packs, watcher),
      load: 0,
    }));
    this.#overdue = setTimeout(
      () => this.#giveUp(`no answer within ${PREPARATION_MS_MAX / 60_000} minutes`),
      PREPARATION_MS_MAX,
    ).unref();
  }

  /** The processes that can answer for a pack on a prepared provider. */
  membersFor(key: string): Member[] {
    return this.#givenUp === null
      ? this.#members.filter(({ process }) => this.#runs(process.reports, key))
      : [];
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  pids(): number[] {
    return this.#members.flatMap(({ process }) => process.pid ?? []);
  }

  /** A pack's report, with `report` by the other processes. */
  amend(report: PackReport): PackReport {
    const [able] = this.membersFor(report.key);
    const own = (able?.process.reports ?? this.#reports)?.find(({ key }) => key === report.key);
    if (able !== undefined && own !== undefined) return own;
    const names = this.#slow.join(', ');
    if (own?.fault === null && !this.#runs([own], own.key)) return { ...report, passedOver: own.passedOver };
    if (this.#givenUp === null)
      return { ...report, preparing: `${names} since ${this.#since.toISOString()}` };
    return { ...report, passedOver: [`${names}: ${this.#givenUp}`, ...report.passedOver] };
  }

  /** Replaces the packs after the others have theirs. */
  load(packs: readonly LoadedPack[]): void {
    if (this.#givenUp !== null) return;
    for (const { process } of this.#members)
      process.load(packs).catch((error: unknown) => {
        if (!(error instanceof WorkerLostError)) throw error;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#overdue);
    await this.#closing;
    await Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }

  #runs(reports: readonly PackReport[] | null, key: string): boolean {
    return (reports ?? []).some(
      (report) => report.key === key && report.provider !== null && this.#slow.includes(report.provider),
    );
  }

  #childReady(...[pid, reports, startMs]: Parameters<InferenceObserver['childReady']>): void {
    clearTimeout(this.#overdue);
    this.#losses = 0;
    this.#reports = reports;
    if (!reports.some(({ key }) => this.#runs(reports, key))) this.#giveUp('it takes none of the models');
    this.#observer.childReady(pid, reports, startMs);
  }

  #childLost(...[pid, error, restartMs]: Parameters<InferenceObserver['childLost']>): void {
    this.#losses += 1;
    if (this.#losses >= LOSSES_MAX) this.#giveUp(`${LOSSES_MAX} times over, ${error.message}`);
    this.#observer.childLost(pid, error, restartMs);
  }

  /** Its processes hold memory of the device that no one uses. */
  #giveUp(why: string): void {
    if (this.#givenUp !== null) return;
    this.#givenUp = why;
    clearTimeout(this.#overdue);
    this.#closing = Promise.all(this.#members.map(({ process }) => process[Symbol.asyncDispose]()));
  }
}

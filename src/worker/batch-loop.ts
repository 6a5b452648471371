/** Runs one batch a turn, packs by turns, so that a heatmap delays others by one batch; drops packs after `keepLoadedMs`. */
import { type BroughtUp, bringUp, type LoadRequest } from './bring-up.ts';
import { toFailed, type WorkQueue } from './inference/request-queue.ts';
import type {
  InferenceResponse,
  LoadedPack,
  PackReport,
  PackRequest,
  RememberedCheck,
} from './protocol/inference-protocol.ts';

/** On a GPU a pack stays loaded: bringing it up takes seconds to minutes there, and its memory is the device's. */
const LET_GO_PROVIDER = 'cpu';

interface Checked {
  pack: LoadedPack;
  report: PackReport;
  /** Not brought up by this process yet: its report is of an earlier start, or still to be made. */
  awaitsProof: boolean;
  /** Null while the pack is let go, and if it is out of service. */
  queue: WorkQueue | null;
  usedAt: number;
}

export class BatchLoop {
  readonly #send: (response: InferenceResponse) => void;
  #queues: WorkQueue[] = [];
  /** Keyed by all that decides how a pack runs. */
  #checked = new Map<string, Checked>();
  #request: LoadRequest | null = null;
  #isTurning = false;
  #running: WorkQueue | null = null;
  /** Resolves with the last turn: a session must not be released during a batch. */
  #turnEnd: Promise<void> = Promise.resolve();
  #wakeAt: NodeJS.Timeout | undefined;

  constructor(send: (response: InferenceResponse) => void) {
    this.#send = send;
  }

  /** Unchanged packs go on; requests for a removed one fail and are sent again. */
  async load(request: LoadRequest): Promise<PackReport[]> {
    const { packs, providers, halfProviders, threads, batchMax } = request;
    const checked = new Map<string, Checked>();
    for (const pack of packs) {
      const key = JSON.stringify([pack, providers, halfProviders, threads, batchMax]);
      const before = this.#checked.get(key);
      checked.set(key, before?.report.fault === null ? before : await check(pack, request));
    }
    await this.#turnEnd;
    this.#checked = checked;
    this.#request = request;
    const queues = [...checked.values()].flatMap(({ queue }) => queue ?? []);
    const gone = this.#queues.filter((queue) => !queues.includes(queue));
    this.#queues = queues;
    for (const queue of gone) {
      this.#sendAll(queue.clear('the model was replaced while the request waited'));
      await queue.release();
    }
    this.#reportResident();
    // Kept requests may have become ripe while the new packs were brought up.
    this.#wake(0);
    return [...checked.values()].map(({ report }) => report);
  }

  /** Brings the pack up if it was let go. Must not run beside `load` or itself. */
  async add(request: PackRequest): Promise<void> {
    try {
      (await this.#queueOf(request.pack)).add(request, performance.now());
    } catch (error) {
      this.#send(toFailed(request.id, error));
      return;
    }
    this.#wake(0);
  }

  async cancel(id: number): Promise<void> {
    // A batch under way holds its requests; the next turn begins after this one's promises.
    await this.#turnEnd;
    for (const queue of this.#queues) this.#sendAll(queue.drop(id, 'the request was called off'));
  }

  /** Releases packs that no one has asked for long enough. Must not run beside `load` or `add`. */
  async letGo(): Promise<void> {
    if (this.#request === null) return;
    const usedBefore = performance.now() - this.#request.keepLoadedMs;
    const idle = [...this.#checked.values()].filter(
      (checked) => checked.queue !== this.#running && isIdle(checked, usedBefore),
    );
    for (const checked of idle) {
      const { queue } = checked;
      checked.queue = null;
      this.#queues = this.#queues.filter((other) => other !== queue);
      await queue?.release();
    }
    if (idle.length > 0) this.#reportResident();
  }

  /** Checks one pack that the load did not wait for; false if none is left. Must not run beside `load` or `add`. */
  async proveNext(): Promise<boolean> {
    const request = this.#request;
    const next = [...this.#checked.values()].find(
      ({ pack, report, awaitsProof }) =>
        awaitsProof && pack.isProvedNext === true && report.goldenError === null,
    );
    if (next === undefined || request === null) return false;
    const { queue } = await this.#bringUp(next, request);
    await queue?.release();
    return true;
  }

  async #queueOf(key: string): Promise<WorkQueue> {
    const checked = [...this.#checked.values()].find(({ pack }) => pack.key === key);
    if (checked === undefined || checked.report.fault !== null || this.#request === null) {
      throw new Error(`the model ${key} is not in service`);
    }
    checked.usedAt = performance.now();
    if (checked.queue !== null) return checked.queue;
    const { queue, report } = await this.#bringUp(checked, this.#request);
    if (queue === null) throw new Error(`the model ${key} cannot be loaded again: ${report.fault}`);
    checked.queue = queue;
    this.#queues.push(queue);
    this.#reportResident();
    return queue;
  }

  async #bringUp(checked: Checked, request: LoadRequest): Promise<BroughtUp> {
    const { queue, report } = await bringUp(checked.pack, request);
    if (checked.awaitsProof) {
      checked.awaitsProof = false;
      checked.report = report;
      this.#send({ type: 'proved', report });
    }
    return { queue, report };
  }

  #reportResident(): void {
    this.#send({ type: 'resident', packs: this.#queues.map(({ key }) => key) });
  }

  #wake(delayMs: number): void {
    if (this.#isTurning) return;
    clearTimeout(this.#wakeAt);
    if (delayMs > 0) {
      this.#wakeAt = setTimeout(() => this.#wake(0), delayMs);
      return;
    }
    this.#isTurning = true;
    setImmediate(() => {
      this.#turnEnd = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    const batchWaitMs = this.#request?.batchWaitMs ?? 0;
    const now = performance.now();
    const queue = this.#queues.find((candidate) => candidate.ripeAt(batchWaitMs) <= now);
    if (queue !== undefined) {
      this.#queues = [...this.#queues.filter((other) => other !== queue), queue];
      this.#running = queue;
      this.#sendAll(await queue.runBatch());
      this.#running = null;
    }
    this.#isTurning = false;
    const next = Math.min(...this.#queues.map((candidate) => candidate.ripeAt(batchWaitMs)));
    if (Number.isFinite(next)) this.#wake(Math.max(0, Math.ceil(next - performance.now())));
  }

  #sendAll(responses: InferenceResponse[]): void {
    for (const response of responses) this.#send(response);
  }
}

/** Brings a pack up, and lets it go at once if it may never be used. */
async function check(pack: LoadedPack, request: LoadRequest): Promise<Checked> {
  if (pack.isCheckedLate === true) return broughtUpLater(pack, null);
  const staysLoaded = request.keepLoadedMs === Number.POSITIVE_INFINITY;
  const remembered = request.remembered.find(({ key }) => key === pack.key);
  if (!staysLoaded && (remembered !== undefined || isProvedNext(pack, request))) {
    return { ...broughtUpLater(pack, remembered ?? null), awaitsProof: true };
  }
  const { queue, report } = await bringUp(pack, request);
  if (queue === null || report.provider !== LET_GO_PROVIDER || staysLoaded) {
    return { pack, report, awaitsProof: false, queue, usedAt: performance.now() };
  }
  await queue.release();
  return { pack, report, awaitsProof: false, queue: null, usedAt: performance.now() };
}

/** Needs a provider that is known in advance: no other provider may be tried before the CPU. */
function isProvedNext(pack: LoadedPack, { providers }: LoadRequest): boolean {
  const isOnCpu = providers.length === 1 && providers[0] === LET_GO_PROVIDER;
  return pack.isProvedNext === true && pack.golden.isRecorded !== true && isOnCpu;
}

/** Checked by its first request, since a check costs each start seconds of every core, or known from an earlier start. */
function broughtUpLater(pack: LoadedPack, remembered: RememberedCheck | null): Checked {
  const place = {
    provider: LET_GO_PROVIDER,
    precision: 'full' as const,
    precisionNote: null,
    passedOver: [],
  };
  const goldenError = remembered?.goldenError ?? null;
  const report = { key: pack.key, ...place, fault: null, goldenError, loadMs: 0 };
  return { pack, report, awaitsProof: false, queue: null, usedAt: performance.now() };
}

function isIdle({ report, queue, usedAt }: Checked, usedBefore: number): boolean {
  const isFree = queue !== null && queue.ripeAt(0) === Number.POSITIVE_INFINITY;
  return isFree && report.provider === LET_GO_PROVIDER && usedAt <= usedBefore;
}

/** Mutated files straight at the decode children: many a second, each child behind the same walls as in the daemon. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_TRUST } from '../../../src/domain/provenance/trust-list.ts';
import { MediaFaultError, WorkerLostError } from '../../../src/engine/children/worker-errors.ts';
import type { DecodePool } from '../../../src/engine/decode/decode-pool.ts';
import type { DecodeSlot } from '../../../src/engine/decode/decode-slot.ts';
import { childrenOf } from '../../faults/rounds/processes.ts';
import { LIMITS, makePool, type ObservedPool } from '../../media/decode-fixture.ts';
import type { Sample } from './corpus.ts';

export interface PoolResult {
  outcome: 'decoded' | 'refused' | 'crashed' | 'hung' | 'strange';
  ms: number;
  /** Most memory that a child has had so far in its life. */
  peakBytes: number;
  message: string;
}

const STEP_TIMEOUT_MS = 20_000;
/** Sound of a mutated length field must not take minutes. */
const SOUND_SECONDS_MAX = 600;
const COPIES = [{ name: 'p', variant: 'original', layout: { size: 32, align: 8, countMax: 4 } }] as const;

export class PoolFuzzer implements AsyncDisposable {
  readonly #observed: ObservedPool;
  readonly #folder: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#observed = makePool(folder, { stepTimeoutMs: STEP_TIMEOUT_MS });
  }

  async try({ kind }: Sample, bytes: Buffer): Promise<PoolResult> {
    const upload = join(this.#folder, 'upload');
    writeFileSync(upload, bytes);
    const startedAt = performance.now();
    const end = (outcome: PoolResult['outcome'], message = ''): PoolResult => ({
      outcome,
      ms: performance.now() - startedAt,
      peakBytes: peakOfChildren(),
      message,
    });
    try {
      await decode(this.#observed.pool, upload, kind);
      return end('decoded');
    } catch (error) {
      if (error instanceof MediaFaultError) return end('refused', error.message);
      if (error instanceof WorkerLostError) {
        return end(error.loss === 'deadline' ? 'hung' : 'crashed', error.message);
      }
      return end('strange', String(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#observed[Symbol.asyncDispose]();
  }
}

async function decode(pool: DecodePool, upload: string, kind: Sample['kind']): Promise<void> {
  await pool.run('analysis', async (slot) => {
    const input = await slot.placeInput(upload);
    const { probe } = await slot.request({ type: 'probe', input, limits: LIMITS });
    // A mutated file may have become one of another kind; asked for the kind that it was sent as, it is refused.
    await decodeAs(slot, input, probe.kind === kind ? kind : probe.kind);
  });
}

async function decodeAs(slot: DecodeSlot, input: string, kind: Sample['kind']): Promise<void> {
  const shared = { input, trust: NO_TRUST };
  const patchSets = COPIES.map((copy) => ({ ...copy }));
  if (kind === 'image') await slot.request({ type: 'decode-image', ...shared, limits: LIMITS, patchSets });
  else if (kind === 'audio') {
    await slot.request({ type: 'decode-audio', ...shared, soundSecondsMax: SOUND_SECONDS_MAX });
  } else {
    const frames = { method: 'even', countMax: 5 } as const;
    const track = { withTrack: true, soundSecondsMax: SOUND_SECONDS_MAX };
    await slot.request({
      ...{ type: 'decode-video', ...shared, limits: LIMITS, patchSets, frames, ...track, decoder: 'cpu' },
    });
  }
}

const BYTES_PER_KIB = 1024;

function peakOfChildren(): number {
  return childrenOf(process.pid).decode.reduce((most, pid) => Math.max(most, peakOf(pid)), 0);
}

function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * BYTES_PER_KIB;
  } catch {
    return 0;
  }
}

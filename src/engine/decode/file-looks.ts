/** Looks into files outside of analyses, each in a decode child: nothing is stored, and analyses do not delay them. */
import { LRUCache } from 'lru-cache';
import type { AskedPicture, DescribedPicture } from '../../domain/media/perceptual-hash.ts';
import type { Provenance } from '../../domain/provenance/provenance.ts';
import type { TrustMaterial } from '../../domain/provenance/trust-list.ts';
import type { Probe, ReadMarks } from '../../worker/protocol/decoded-media.ts';
import { FileTooSlowError } from '../children/engine-errors.ts';
import { checkProbe, type ProbeRule } from './check-probe.ts';
import { type AskedFile, describeForCaller, describeKept, type KeptFile } from './describe-picture.ts';
import type { Originals } from './place-original.ts';
import { type CallerBounds, type Pool, probeForCaller, readMarksForCaller } from './probe.ts';
import { readStoredProvenance, type StoredManifest } from './read-provenance.ts';

export interface FileLooksConfig {
  /** How long a caller waits for a decoder, and then for its answer. */
  probeWaitMs: number;
  probeTimeoutMs: number;
  videoHeightMin: number;
  trust: () => TrustMaterial;
}

/** A file on this disk; `hash` is its SHA-256, by which it is recognised. */
export interface LookedFile {
  path: string;
  hash?: string;
}

/** Some hundred bytes each. */
const TOO_SLOW_MAX = 10_000;
/** A file that was too slow on an overloaded box is looked at again after this time. */
const TOO_SLOW_MS = 3_600_000;

export class FileLooks {
  /** Files that ended two decoders by their deadline, by look and hash: sending one again must not cost two more. */
  readonly #tooSlow = new LRUCache<string, FileTooSlowError>({ max: TOO_SLOW_MAX, ttl: TOO_SLOW_MS });
  readonly #config: FileLooksConfig;
  readonly #pool: Pool;
  readonly #blobs: Originals;

  constructor(config: FileLooksConfig, { pool, blobs }: { pool: Pool; blobs: Originals }) {
    this.#config = config;
    this.#pool = pool;
    this.#blobs = blobs;
  }

  /** Type and size of a file, for a waiting account. Throws AppErrors and AbortError. */
  async probe({ path, hash }: LookedFile, signal: AbortSignal, accountId?: number): Promise<Probe> {
    return await this.#unlessTooSlow('probe', hash, () =>
      probeForCaller(this.#pool, path, this.#callerBounds(signal, accountId)),
    );
  }

  /** Throws the documented AppError if the file may not be analysed. */
  checkProbe(probe: Probe, rule: ProbeRule): void {
    const videoHeightMin = Math.max(rule.videoHeightMin, this.#config.videoHeightMin);
    checkProbe(probe, { ...rule, videoHeightMin });
  }

  /** A file's marks of its origin, for a waiting account. Throws as `probe` does. */
  async readMarks({ path, hash }: LookedFile, signal: AbortSignal, accountId: number): Promise<ReadMarks> {
    const file = { path, trust: this.#config.trust() };
    return await this.#unlessTooSlow('marks', hash, () =>
      readMarksForCaller(this.#pool, file, this.#callerBounds(signal, accountId)),
    );
  }

  /** A picture's description for searches by copies; null if it is too small. Throws as `probe` does. */
  async describePicture(
    picture: AskedFile,
    signal: AbortSignal,
    accountId: number,
  ): Promise<AskedPicture | null> {
    return await this.#unlessTooSlow('description', picture.hash, () =>
      describeForCaller(this.#pool, picture, this.#callerBounds(signal, accountId)),
    );
  }

  /** The same description of an original or a frame, as its analysis would make it; no one waits for it. */
  async describeStored(stored: KeptFile, signal: AbortSignal): Promise<DescribedPicture | null> {
    return await describeKept(this.#pool, this.#blobs, { stored, signal });
  }

  async readStoredProvenance(stored: StoredManifest): Promise<Provenance> {
    return await readStoredProvenance(this.#pool, this.#blobs, stored);
  }

  async #unlessTooSlow<T>(look: string, hash: string | undefined, work: () => Promise<T>): Promise<T> {
    if (hash === undefined) return await work();
    const key = `${look} ${hash}`;
    const known = this.#tooSlow.get(key);
    if (known !== undefined) throw known;
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileTooSlowError) this.#tooSlow.set(key, error);
      throw error;
    }
  }

  #callerBounds(signal: AbortSignal, accountId: number | undefined): CallerBounds {
    const { probeWaitMs: waitTimeoutMs, probeTimeoutMs: timeoutMs } = this.#config;
    return { signal, waitTimeoutMs, timeoutMs, accountId };
  }
}

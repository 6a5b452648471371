/** Signs heads of the custody log, for an export or after enough entries; names each key before its first signature. */
import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import { originOf, signCheckpoint } from '../../domain/custody/checkpoint.ts';
import { rootOf } from '../../domain/custody/merkle-tree.ts';
import { MICROSECONDS_PER_DAY } from '../../domain/time.ts';
import type { SigningKeys } from '../../machinery/signing-key.ts';
import { KEY_SUBJECT } from '../../store/custody/reindex.ts';
import type { Store } from '../../store/store.ts';

export interface CheckpointParts {
  store: Store;
  clock: Clock;
  log: Logger;
  signingKeys: SigningKeys;
}

/** A signed head as a C2SP note. */
export interface SignedHead {
  note: string;
  size: number;
  publicKeyPem: string;
}

/** Entries between two automatic signatures: at most so many rest on the hashes alone. */
const ENTRIES_BETWEEN = 1000;
const LOOK_INTERVAL_MS = 60_000;
/** An idle box has a signed head of each day all the same. */
const AGE_MAX_US = MICROSECONDS_PER_DAY;

export class Checkpoints implements AsyncDisposable {
  readonly #parts: CheckpointParts;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  /** Notes the key in the log, and signs the log; returns the present note if it is signed already. */
  async sign(): Promise<SignedHead> {
    const { store, clock, signingKeys } = this.#parts;
    const key = signingKeys.current();
    const { rawPublicKey, publicKeyPem } = key;
    await this.#recordKey(key.fingerprint);
    const { custody } = store.read;
    const [head, epoch] = [custody.head(), custody.epoch()];
    if (head === undefined || epoch === undefined) throw new Error('the custody log has no head');
    const { size } = head;
    const origin = originOf(epoch.id);
    const known = custody.checkpoint(size);
    const root = rootOf(head.peaks.map((peak) => Buffer.from(peak)));
    const sign = (bytes: Uint8Array) => key.sign(bytes);
    const note = signCheckpoint({ origin, size, root }, { rawPublicKey, sign });
    // Ed25519 is deterministic, so an equal note needs no other row.
    if (known?.note !== note) await store.transact((tx) => tx.putCheckpoint(size, { note, at: clock.now() }));
    return { note, size, publicKeyPem };
  }

  /** Noted before the key's first signature, so that the log itself says since when it is trusted. */
  async #recordKey(fingerprint: string): Promise<void> {
    const { store } = this.#parts;
    if (this.#isRecorded(fingerprint)) return;
    await store.transact((tx) => {
      const [last] = store.read.custody.rowsOf([KEY_SUBJECT], { limit: 1 });
      if (this.#isRecorded(fingerprint)) return;
      const kind = last === undefined ? 'key_made' : 'key_rotated';
      const details = { what: { fingerprint } };
      tx.log.append({ kind, subject: '', actor: null, details, also: [KEY_SUBJECT] });
    });
  }

  #isRecorded(fingerprint: string): boolean {
    const [last] = this.#parts.store.read.custody.rowsOf([KEY_SUBJECT], { limit: 1 });
    return last?.details?.what?.fingerprint === fingerprint;
  }

  #look(): void {
    const { store, clock } = this.#parts;
    const { custody } = store.read;
    const last = custody.lastCheckpointSize();
    const isOld = clock.now() - (custody.checkpoint(last)?.at ?? 0) > AGE_MAX_US;
    const unsigned = custody.size - last;
    if (unsigned === 0 || (unsigned < ENTRIES_BETWEEN && !isOld)) return;
    this.#work = this.sign().catch((error: unknown) => {
      this.#parts.log.error(
        { err: error },
        'the custody log could not be signed; it is tried again in a minute',
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}

/** Watches readers of old states of the records, so that the log says why the file grows. */
import type { Logger } from 'pino';
import type { Store } from '../../../store/store.ts';
import { READER_SECONDS_MAX } from './storage.ts';

export interface ReaderWatchParts {
  store: Pick<Store, 'oldestReader'>;
  log: Logger;
}

/** Ages are as exact as this interval. */
const LOOK_INTERVAL_MS = 5000;

export class ReaderWatch implements Disposable {
  readonly #parts: ReaderWatchParts;
  readonly #timer: NodeJS.Timeout;
  #isWarned = false;

  constructor(parts: ReaderWatchParts, intervalMs = LOOK_INTERVAL_MS) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.look(), intervalMs).unref();
  }

  /** Warns once for each reader that grows too old. */
  look(): void {
    const { store, log } = this.#parts;
    const { transactions, seconds } = store.oldestReader();
    const isOld = seconds > READER_SECONDS_MAX;
    if (isOld && !this.#isWarned) {
      log.warn(
        { transactions, seconds: Math.round(seconds) },
        'an old state of the records is still read, and their file grows meanwhile; a backup ends that by itself',
      );
    }
    if (!isOld && this.#isWarned) log.warn('no old state of the records is read any more');
    this.#isWarned = isOld;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

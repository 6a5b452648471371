/** Refuses stored records that no facade can convert or that break the reading rules, and counts each once. */
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { Metrics } from '../../machinery/metrics.ts';
import { DamagedRecordError } from '../../store/tables/codec.ts';

/** After so many the list starts over, and they are reported again. */
const REPORTED_MAX = 10_000;

export class Refusals {
  readonly #reported = new Set<string>();
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor({ log, metrics }: { log: Logger; metrics: Metrics }) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Throws `damaged` for whatever keeps the value from being built, and other AppErrors as they are. */
  shown<T>(identifier: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedRecordError) throw error;
      if (error instanceof AppError && error.reason !== 'damaged') throw error;
      const refusal = error instanceof AppError ? error : cannotBeBuilt(identifier, error);
      this.#report(identifier, refusal);
      throw refusal;
    }
  }

  #report(identifier: string, error: AppError): void {
    if (this.#reported.has(identifier)) return;
    if (this.#reported.size >= REPORTED_MAX) this.#reported.clear();
    this.#reported.add(identifier);
    this.#metrics.refusedRecords.inc();
    this.#log.error({ identifier, err: error.cause ?? error }, 'a stored record cannot be shown');
  }
}

const ADVICE = 'submit its file again without the cache, or restore a backup';

function cannotBeBuilt(identifier: string, cause: unknown): AppError {
  return new AppError('damaged', `the record ${identifier} cannot be built; ${ADVICE}`, { cause });
}

/** `fault` comes from `faultOfRecord`. */
export function cannotBeShown(identifier: string, fault: string): AppError {
  return new AppError('damaged', `the record ${identifier} cannot be shown: ${fault}; ${ADVICE}`);
}

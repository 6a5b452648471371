/**
 * What happens if a stored record cannot be shown: it holds a figure or a word that no facade can convert, or does
 * not fit the rules that read it. The caller gets one error, and the log and a metric say it once for each record.
 * A row whose checksum fails was reported by its table already.
 */
import type { Logger } from 'pino';
import { AppError } from '../../domain/errors.ts';
import type { Metrics } from '../../machinery/metrics.ts';
import { DamagedRecordError } from '../../store/tables/codec.ts';

/** Past so many the log has said enough; then they are reported again. */
const REPORTED_MAX = 10_000;

export class Refusals {
  readonly #reported = new Set<string>();
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor({ log, metrics }: { log: Logger; metrics: Metrics }) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** What `read` returns. Throws `damaged` for whatever keeps it from being built or converted, and other AppErrors as they are. */
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

/** `fault` as `faultOfRecord` says it. */
export function cannotBeShown(identifier: string, fault: string): AppError {
  return new AppError('damaged', `the record ${identifier} cannot be shown: ${fault}; ${ADVICE}`);
}

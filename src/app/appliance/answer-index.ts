/** After an upgrade: the index of answers is made anew beside the other work; until then lists look at each record. */
import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';

export interface AnswerIndexParts {
  store: Store;
  log: Logger;
}

export class AnswerIndex implements AsyncDisposable {
  readonly #stopped = new AbortController();
  readonly #made: Promise<void>;

  constructor({ store, log }: AnswerIndexParts) {
    this.#made = make(store, log, this.#stopped.signal).catch((error: unknown) => {
      log.error({ err: error }, 'the index of answers could not be made; the next start tries again');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#made;
  }
}

async function make(store: Store, log: Logger, signal: AbortSignal): Promise<void> {
  if (store.read.records.areAnswersComplete) return;
  log.info('the index of answers is made anew; until then lists by verdict or outcome take longer');
  const { records, isComplete } = await store.makeAnswers(signal);
  if (isComplete) log.info({ records }, 'the index of answers is complete');
}

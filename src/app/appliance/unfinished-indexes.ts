/** After an upgrade makes indexes of answers and said words beside other work; until then lists look at each record. */
import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';

export interface UnfinishedIndexesParts {
  store: Store;
  log: Logger;
}

export class UnfinishedIndexes implements AsyncDisposable {
  readonly #stopped = new AbortController();
  readonly #made: Promise<void>;

  constructor({ store, log }: UnfinishedIndexesParts) {
    this.#made = make(store, log, this.#stopped.signal).catch((error: unknown) => {
      log.error({ err: error }, 'an index could not be made; the next start tries again');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#made;
  }
}

async function make(store: Store, log: Logger, signal: AbortSignal): Promise<void> {
  await makeAnswers(store, log, signal);
  await makeWords(store, log, signal);
}

async function makeAnswers(store: Store, log: Logger, signal: AbortSignal): Promise<void> {
  if (store.read.records.areAnswersComplete) return;
  log.info('the index of answers is made anew; until then lists by verdict or outcome take longer');
  const { count: records, isComplete } = await store.makeAnswers(signal);
  if (isComplete) log.info({ records }, 'the index of answers is complete');
}

async function makeWords(store: Store, log: Logger, signal: AbortSignal): Promise<void> {
  if (store.read.words.areComplete) return;
  log.info('the index of what was said is made anew; until then a search in transcripts takes longer');
  const { count: transcripts, isComplete } = await store.makeWords(signal);
  if (isComplete) log.info({ transcripts }, 'the index of what was said is complete');
}

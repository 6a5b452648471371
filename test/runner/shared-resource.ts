/** Opened once for the test files of a process, and closed a moment after the last has left, as the next may take it over. */
const LINGER_MS = 1000;

export class SharedResource<T extends AsyncDisposable> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | null = null;
  #users = 0;
  #closing: NodeJS.Timeout | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  async take(): Promise<T> {
    clearTimeout(this.#closing);
    this.#users += 1;
    this.#opened ??= this.#open();
    return await this.#opened;
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#closing = setTimeout(async () => {
      const opened = this.#opened;
      this.#opened = null;
      await (await opened)?.[Symbol.asyncDispose]();
    }, LINGER_MS);
  }
}

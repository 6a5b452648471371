/** Ends an upload that brought too little in the last half minute of waiting for its sender, not for us. */
import { AppError } from '../../domain/errors.ts';

/** Less than any usable line brings; a modem of the nineties brought five times as much. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 1024;
/** Long enough for a line that stalls for a moment, short enough for a dead one. */
export const UPLOAD_WINDOW_MS = 30_000;
/** Measurements of an upload in a window. */
const LOOKS_PER_WINDOW = 30;

export interface PaceRule {
  bytesPerSecondMin: number;
  windowMs: number;
}

const RULE: PaceRule = { bytesPerSecondMin: UPLOAD_BYTES_PER_SECOND_MIN, windowMs: UPLOAD_WINDOW_MS };

/** An upload's bytes at a time, in milliseconds of waiting for its sender. */
interface Mark {
  waitedMs: number;
  bytes: number;
}

/** Passes on the sender's bytes; throws `too_slow` if they are too few, or the signal's reason, also while it waits. */
export async function* atPace<T>(
  source: AsyncIterable<T>,
  bytesOf: (part: T) => number,
  { signal, rule = RULE }: { signal?: AbortSignal; rule?: PaceRule } = {},
): AsyncGenerator<T> {
  const parts = source[Symbol.asyncIterator]();
  using pace = new UploadPace(rule, signal);
  let isAtEnd = false;
  try {
    for (;;) {
      const part = await pace.wait(parts.next());
      isAtEnd = part.done === true;
      if (part.done === true) return;
      pace.take(bytesOf(part.value));
      yield part.value;
    }
  } finally {
    // Not awaited: a silent source returns only when its sender is gone.
    if (!isAtEnd) parts.return?.()?.catch(() => undefined);
  }
}

class UploadPace implements Disposable {
  readonly #rule: PaceRule;
  readonly #looking: NodeJS.Timeout;
  readonly #marks: Mark[] = [{ waitedMs: 0, bytes: 0 }];
  #waitedMs = 0;
  #waitingSince: number | null = null;
  #bytes = 0;
  #end: ((error: AppError) => void) | null = null;
  readonly #signal: AbortSignal | undefined;
  readonly #lose = () => {
    // A caller that has gone shows in its stream.
    if (this.#signal?.reason instanceof AppError) this.#end?.(this.#signal.reason);
  };

  constructor(rule: PaceRule, signal: AbortSignal | undefined) {
    this.#rule = rule;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#lose, { once: true });
    this.#looking = setInterval(() => this.#look(), rule.windowMs / LOOKS_PER_WINDOW).unref();
  }

  take(bytes: number): void {
    this.#bytes += bytes;
  }

  /** One wait at a time. */
  async wait<T>(coming: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waitingSince = performance.now();
    this.#end = reject;
    coming.then(resolve, reject);
    if (this.#signal?.aborted === true) this.#lose();
    try {
      return await promise;
    } finally {
      this.#waitedMs += performance.now() - this.#waitingSince;
      this.#waitingSince = null;
      this.#end = null;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking);
    this.#signal?.removeEventListener('abort', this.#lose);
  }

  #look(): void {
    if (this.#waitingSince === null) return;
    const { bytesPerSecondMin, windowMs } = this.#rule;
    const waitedMs = this.#waitedMs + performance.now() - this.#waitingSince;
    const marks = this.#marks;
    while (marks[1] !== undefined && marks[1].waitedMs <= waitedMs - windowMs) marks.shift();
    const [oldest] = marks;
    if (oldest !== undefined && oldest.waitedMs <= waitedMs - windowMs) {
      const seconds = (waitedMs - oldest.waitedMs) / 1000;
      if ((this.#bytes - oldest.bytes) / seconds < bytesPerSecondMin) this.#end?.(tooSlow(this.#rule));
    }
    marks.push({ waitedMs, bytes: this.#bytes });
  }
}

export function tooSlow({ bytesPerSecondMin, windowMs }: PaceRule = RULE): AppError {
  const seconds = windowMs / 1000;
  return new AppError(
    'too_slow',
    `the upload brought less than ${bytesPerSecondMin} bytes a second for ${seconds} seconds, and was ended`,
    { metadata: { minimum_bytes_per_second: String(bytesPerSecondMin), window_seconds: String(seconds) } },
  );
}

/** One bar per active file on standard error, when that is a terminal; otherwise nothing is drawn. */
import type { MultiBar, SingleBar } from 'cli-progress';
import type { Terminal } from '../terminal/terminal.ts';

const NAME_WIDTH = 28;

export interface FileBar {
  /** `sizeBytes` is 0 if it is not known (standard input). */
  showUpload(sentBytes: number, sizeBytes: number): void;
  showStep(step: string, done: number, total: number): void;
  remove(): void;
}

export const NO_BAR: FileBar = { showUpload() {}, showStep() {}, remove() {} };

export class ProgressBars implements Disposable {
  #bars: MultiBar | null;

  private constructor(bars: MultiBar | null) {
    this.#bars = bars;
  }

  /** The drawing library is loaded only if something is drawn: a script waits for its first call. */
  static async open(terminal: Terminal): Promise<ProgressBars> {
    return new ProgressBars(terminal.stderr.isTTY === true ? await openMultiBar(terminal) : null);
  }

  add(name: string): FileBar {
    const bar = this.#bars?.create(1, 0, { name: fit(name), step: 'waiting' });
    return bar === undefined ? NO_BAR : toFileBar(bar, () => this.#bars?.remove(bar));
  }

  /** Prints above the bars; without bars the caller prints as usual. */
  log(line: string): boolean {
    this.#bars?.log(`${line}\n`);
    return this.#bars !== null;
  }

  [Symbol.dispose](): void {
    this.#bars?.stop();
    // A second stop would clear the screen below a table that was printed meanwhile.
    this.#bars = null;
  }
}

async function openMultiBar(terminal: Terminal): Promise<MultiBar> {
  // A CommonJS module: in the bundle it has no other export.
  const { MultiBar } = (await import('cli-progress')).default;
  return new MultiBar({
    stream: terminal.stderr,
    format: '{name} [{bar}] {percentage}% {step}',
    hideCursor: true,
    clearOnComplete: true,
    // Ctrl-C is handled once, by the entry: a second handler would end the process before uploads are cancelled.
    gracefulExit: false,
    forceRedraw: true,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 24,
  });
}

function toFileBar(bar: SingleBar, remove: () => void): FileBar {
  const show = (step: string, done: number, total: number) => {
    bar.setTotal(Math.max(total, 1));
    bar.update(Math.min(done, Math.max(total, 1)), { step });
  };
  return {
    showUpload: (sentBytes, sizeBytes) => show(`upload ${formatMegabytes(sentBytes)}`, sentBytes, sizeBytes),
    showStep: show,
    remove,
  };
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function fit(name: string): string {
  const shown = name.length > NAME_WIDTH ? `…${name.slice(1 - NAME_WIDTH)}` : name;
  return shown.padEnd(NAME_WIDTH);
}

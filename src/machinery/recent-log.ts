/** The last lines of the log, kept in memory for the support bundle. */

/** An hour of a busy box at the level `info`; with the bound below at most 4 MB. */
const LINES_MAX = 1000;
const LINE_CHARACTERS_MAX = 4000;

export class RecentLog {
  readonly #lines: string[] = [];
  /** Where the next line goes once the ring is full. */
  #next = 0;

  /** One line of JSON, as pino writes it. A line that is too long is cut, and no JSON any more. */
  write(line: string): void {
    this.#lines[this.#next] = line.slice(0, LINE_CHARACTERS_MAX).trimEnd();
    this.#next = (this.#next + 1) % LINES_MAX;
  }

  lines(): string[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
  }
}

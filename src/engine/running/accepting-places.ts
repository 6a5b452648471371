/** Keeps capacity for files that are being accepted: senders wait, and accepting takes a hundredth of an analysis. */
import type { Alarm, Clock } from '../../domain/clock.ts';

/** What one daemon can keep busy: its thread, its file threads and two probing decoders. More cores analyse on. */
const PLACES_MAX = 4;

/** While files come without end one analysis (.6 s of a core) begins per interval: they keep a third of two cores. */
const BEGIN_EVERY_MS = 1000;

export interface AcceptingPlacesParts {
  clock: Clock;
  /** Analyses that this box makes at once; with 0 none competes with accepting. */
  placesMax: number;
  /** Called when an analysis may begin that might not before. */
  freed: () => void;
}

export class AcceptingPlaces {
  readonly #parts: AcceptingPlacesParts;
  readonly #placesMax: number;
  #accepting = 0;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  /** Set while analyses wait. */
  #alarm: Alarm | null = null;

  constructor(parts: AcceptingPlacesParts) {
    this.#parts = parts;
    this.#placesMax = Math.min(PLACES_MAX, parts.placesMax);
  }

  /** Call it when a file has arrived and its sender waits. Dispose the result once the answer is known. */
  enter(): Disposable {
    this.#accepting += 1;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Whether an analysis may begin beside `running` others with `slots` for all. If not, `freed` is called later. */
  mayBegin(running: number, slots: number): boolean {
    const { clock, freed } = this.#parts;
    const left = slots - Math.min(this.#accepting, this.#placesMax);
    const waitedMs = clock.elapsedMs() - this.#begunAtMs;
    if (running < left || waitedMs >= BEGIN_EVERY_MS) return true;
    this.#alarm ??= clock.after(BEGIN_EVERY_MS - waitedMs, () => {
      this.#alarm = null;
      freed();
    });
    return false;
  }

  noteBegin(): void {
    this.#begunAtMs = this.#parts.clock.elapsedMs();
  }

  /** Ends the calls of `freed`. */
  close(): void {
    this.#alarm?.cancel();
    this.#alarm = null;
  }

  #leave(): void {
    this.#accepting -= 1;
    // An accepted file frees no place while more files than places are left.
    if (this.#alarm === null || this.#accepting >= this.#placesMax) return;
    this.close();
    this.#parts.freed();
  }
}

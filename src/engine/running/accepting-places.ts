/**
 * What analyses leave to files that are being accepted: somebody waits for that answer, and it takes a hundredth of the time
 * of an analysis. So that many files at once are answered first and analysed then.
 */
import type { Alarm, Clock } from '../../domain/clock.ts';

/** What one daemon can keep busy: its own thread, its threads for files, and two decoders that look. A box of more cores analyses on. */
const PLACES_MAX = 4;

/**
 * While files come without end, one analysis begins in so long. A picture takes some .6 s of processor time, so that
 * analyses keep about a third of two cores.
 */
const BEGIN_EVERY_MS = 1000;

export interface AcceptingPlacesParts {
  clock: Clock;
  /** Analyses of this box itself: where none is, none stands in the way. */
  placesMax: number;
  /** An analysis may begin that might not before. */
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

  /** A file is here whole, and its sender waits. Dispose it once the answer is known. */
  enter(): Disposable {
    this.#accepting += 1;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Whether an analysis may begin beside `running` others if there are `slots` for all. If not, `freed` is called later. */
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

  /** An analysis begins. */
  noteBegin(): void {
    this.#begunAtMs = this.#parts.clock.elapsedMs();
  }

  /** `freed` is called no more. */
  close(): void {
    this.#alarm?.cancel();
    this.#alarm = null;
  }

  #leave(): void {
    this.#accepting -= 1;
    // A file that leaves frees no place while more files than places are left.
    if (this.#alarm === null || this.#accepting >= this.#placesMax) return;
    this.close();
    this.#parts.freed();
  }
}

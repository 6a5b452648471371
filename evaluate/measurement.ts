/** What the daemon answered for one file in one tier: a line of the journal, from which all figures are made. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Localisation } from './edit-masks.ts';
import type { LabelName } from './labelled-folder.ts';

export interface Measurement {
  path: string;
  tier: string;
  label: LabelName;
  source: string;
  kind: string;
  /** Calibrated probability of artificial; null if no model could answer. */
  probability: number | null;
  /** Null if the task knows no inconclusive. */
  state: 'human' | 'artificial' | 'inconclusive' | 'not_applicable' | null;
  /** The heuristics that said artificial; null if the task has no verdicts. */
  called: string[] | null;
  /** Each model's own calibrated probability, by name and version. */
  models: Record<string, number>;
  /** Shorter side of the picture or video as sent, pixels; null for sound. */
  shortSide: number | null;
  /** Frame rate of a video by its index; null without one, and for other media. */
  framesPerSecond: number | null;
  /** Version of the rules by which the daemon read its figures. */
  rulesVersion: number;
  /** Whether the sound of the video was judged, too. */
  hasTrack: boolean;
  /** The fold whose packs answered; null for the running daemon's. */
  fold: string | null;
  /** Whether the file was scaled less than the tier says. */
  held: boolean;
  /** Faces that were found; absent if none was looked for. */
  faces?: number;
  /** How the map of edits meets the mask; absent without a map, and of an edited picture without a mask. */
  localisation?: Localisation;
}

/** A file that the daemon refused or that ended errored. */
export interface FailedFile {
  path: string;
  tier: string;
  error: string;
}

/** The first line: what was measured with which models. */
interface About {
  about: string;
  /** ISO 8601. */
  begunAt: string;
}

type Line = Measurement | FailedFile | About;

const FILE = 'measurements.jsonl';

export class OtherEvaluationError extends Error {
  override readonly name = 'OtherEvaluationError';
}

/** Appended file by file, so that an evaluation of hours goes on where it was cut off. */
export class Journal {
  readonly measurements: Measurement[] = [];
  readonly failed: FailedFile[] = [];
  readonly begunAt: string;
  readonly #path: string;
  readonly #done = new Set<string>();

  /** `about` names folder, task and models: lines of another evaluation must not be mixed in. */
  constructor(folder: string, about: string) {
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, FILE);
    if (!existsSync(this.#path)) {
      this.begunAt = new Date().toISOString();
      appendFileSync(this.#path, `${JSON.stringify({ about, begunAt: this.begunAt } satisfies About)}\n`);
      return;
    }
    const [first = '', ...lines] = readFileSync(this.#path, 'utf8').split('\n');
    const found = parseAbout(first);
    if (found?.about !== about) {
      throw new OtherEvaluationError(
        `${folder} holds another evaluation (${first}); name another folder with --out`,
      );
    }
    this.begunAt = found.begunAt;
    for (const line of lines) this.#restore(line);
  }

  has(path: string, tier: string): boolean {
    return this.#done.has(keyOf(path, tier));
  }

  add(line: Measurement | FailedFile): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
    this.#keep(line);
  }

  /** A line that a kill cut in half is measured again. */
  #restore(line: string): void {
    if (line === '') return;
    try {
      const parsed = JSON.parse(line) as Line;
      // A file that failed may have met a busy daemon: it is tried again.
      if ('probability' in parsed) this.#keep(parsed);
    } catch {
      return;
    }
  }

  #keep(line: Measurement | FailedFile): void {
    if ('error' in line) {
      this.failed.push(line);
      return;
    }
    this.#done.add(keyOf(line.path, line.tier));
    this.measurements.push(line);
  }
}

function parseAbout(line: string): About | null {
  try {
    return JSON.parse(line) as About;
  } catch {
    return null;
  }
}

function keyOf(path: string, tier: string): string {
  return `${tier}\t${path}`;
}

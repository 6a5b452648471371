/** One thing that a client of a history may do. */
import type { Random } from '../../heavy/random.ts';
import type { Life } from '../life.ts';
import type { Book } from './book.ts';
import type { Streams } from './streams.ts';

export interface ActionParts {
  life: Life;
  book: Book;
  random: Random;
  /** Whether the process still lives: an answer of a dead one reaches no one. */
  isAlive: () => boolean;
  accountId: number;
  streams: Streams;
  /** Data folder of the simulated machine. */
  folder: string;
}

export interface Action {
  name: string;
  /** How often it is chosen, against the others. */
  weight: number;
  run: (parts: ActionParts) => Promise<void>;
}

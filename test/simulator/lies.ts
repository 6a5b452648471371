/** Answers that cannot be, as a worker that was broken into would bring them. */
import type { Note } from '../../src/engine/executors/noted-children.ts';
import type { Random } from '../heavy/random.ts';

type Lie = (notes: readonly Note[]) => Note[];

const onLast =
  (change: object): Lie =>
  (notes) =>
    notes.map((note, at) =>
      at === notes.length - 1 ? { ...note, answer: { ...(note.answer as object), ...change } } : note,
    );

const LIES: readonly Lie[] = [
  () => [],
  (notes) => notes.slice(1),
  (notes) => notes.slice(0, -1),
  (notes) => notes.map(({ answer }) => ({ question: 'none', answer })),
  (notes) => notes.map(({ question }) => ({ question, answer: 'a human' })),
  onLast({ logits: '', sets: [], image: null }),
  onLast({ elapsedMs: -1, probe: {} }),
];

export function lie(notes: readonly Note[], random: Random): Note[] {
  return random.pick(LIES)(notes);
}

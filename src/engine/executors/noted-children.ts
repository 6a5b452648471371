/** Notes the children's answers, from which the same code makes the same result on another box. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Children } from '../analyses/analysis-parts.ts';
import { AbortError, ModelFailedError } from '../children/worker-errors.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';

export interface Note {
  question: string;
  answer: unknown;
}

/** Fields that differ from box to box without changing the question, or that follow from earlier answers and are long. */
const NOT_COMPARED = new Set(['trust', 'limits', 'decoder', 'probabilities']);

export class Questions {
  readonly #asked = new Map<string, number>();

  /** Equal requests are numbered, since a child overwrites the file of the last one. */
  nameOf(type: string, work: object): string {
    const compared = (key: string, value: unknown) => {
      if (key === 'path') return basename(String(value));
      return NOT_COMPARED.has(key) ? undefined : value;
    };
    const name = createHash('sha256')
      .update(JSON.stringify({ ...work, type }, compared))
      .digest('base64url');
    const times = this.#asked.get(name) ?? 0;
    this.#asked.set(name, times + 1);
    return `${name}.${times}`;
  }
}

export function noteChildren({ decodePool, inference }: Children, note: (note: Note) => void): Children {
  const questions = new Questions();
  const noted =
    <W extends object, O, A>(type: string, ask: (work: W, options: O) => Promise<A>) =>
    async (work: W, options: O): Promise<A> => {
      const question = questions.nameOf(type, work);
      try {
        const answer = await ask(work, options);
        note({ question, answer });
        return answer;
      } catch (error) {
        if (error instanceof ModelFailedError) note({ question, answer: { failed: error.message } });
        if (error instanceof AbortError) note({ question, answer: { isLate: true } });
        throw error;
      }
    };
  const noteSlot = (slot: AnalysisSlot): AnalysisSlot => ({
    placeInput: async (path, options) => await slot.placeInput(path, options),
    outPath: (file) => slot.outPath(file),
    openOut: (file) => slot.openOut(file),
    async request(work, options = {}) {
      const question = questions.nameOf(work.type, work);
      const answer = await slot.request(work, {
        ...options,
        onFrame(frame) {
          note({ question, answer: { type: 'frame', id: 0, frame } });
          options.onFrame?.(frame);
        },
        onPatched(picture) {
          note({ question, answer: { type: 'patched', id: 0, picture } });
          options.onPatched?.(picture);
        },
      });
      note({ question, answer });
      return answer;
    },
  });
  return {
    decodePool: {
      run: async (purpose, work, options) =>
        await decodePool.run(purpose, (slot) => work(noteSlot(slot)), options),
    },
    inference: {
      infer: noted('infer', (work, options) => inference.infer(work, options)),
      detectSpeech: noted('detect-speech', (work, options) => inference.detectSpeech(work, options)),
      transcribe: noted('transcribe', (work, options) => inference.transcribe(work, options)),
    },
  };
}

/** Times the steps of an analysis and its waits (for a decode slot, for the models). */
import type { AnalysisParts, Children } from './analysis-parts.ts';

/** `slot` is the wait for a decoder, `batch-wait` for a batch, `models` this analysis' share of their runs. */
export function timeParts(
  { decodePool, inference }: Children,
  stepTimed: AnalysisParts['stepTimed'],
): Children {
  return {
    decodePool: {
      run: (purpose, work, options) => {
        const startedAt = performance.now();
        return decodePool.run(
          purpose,
          (slot) => {
            stepTimed('slot', (performance.now() - startedAt) / 1000);
            return work(slot);
          },
          options,
        );
      },
    },
    inference: {
      infer: async (work, options) => {
        const answer = await inference.infer(work, options);
        stepTimed('batch-wait', answer.waitedMs / 1000);
        stepTimed('models', answer.elapsedMs / 1000);
        return answer;
      },
      detectSpeech: async (work, options) => {
        const answer = await inference.detectSpeech(work, options);
        stepTimed('models', answer.elapsedMs / 1000);
        return answer;
      },
      transcribe: async (work, options) => {
        const answer = await inference.transcribe(work, options);
        stepTimed('models', answer.elapsedMs / 1000);
        return answer;
      },
    },
  };
}

export async function timed<T>(
  { stepTimed }: Pick<AnalysisParts, 'stepTimed'>,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  stepTimed(step, (performance.now() - startedAt) / 1000);
  return result;
}

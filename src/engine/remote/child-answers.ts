/**
 * What the children of a worker answered in one analysis, which this box makes again from it, by its own code and packs and as
 * fast as the answers come. So a worker can lie about what this box cannot see, and about nothing else: what its decoders read
 * in the file and what its models put out, how long each took and on which device, the bytes of the files that it sends, how far
 * it is, and that the file cannot be read.
 */
import { z } from 'zod';
import { isDetectorPack } from '../../domain/packs/model-pack.ts';
import { describeFault } from '../../domain/packs/schema-fault.ts';
import { type AnalysisResult, checkResult, seconds } from '../../domain/verdicts/result.ts';
import type { AnalysisFiles, AnalysisParts, Attempt, Children } from '../analyses/analysis-parts.ts';
import { AbortError, ModelFailedError } from '../children/worker-errors.ts';
import { parseDecodeAnswer, parseDecodeMessage } from '../decode/decode-answer.ts';
import {
  type AnalysisSlot,
  type DecodeWork,
  INPUT_NAME,
  type RequestOptions,
} from '../decode/decode-slot.ts';
import { analyse } from '../executors/analyse.ts';
import { Questions } from '../executors/noted-children.ts';
import { type InstalledPack, outputLengthOf } from '../packs/installed-packs.ts';

/** The notes of one request; `from` counts those before, since a broken-off request is repeated. */
export const noteBatch = z.strictObject({
  from: z.int().min(0),
  notes: z.array(z.strictObject({ question: z.string().max(100), answer: z.unknown() })).max(100_000),
});

export class ChildAnswers {
  readonly #answers = new Map<string, unknown[]>();
  #count = 0;
  #isWhole = false;
  #fault: Error | null = null;
  #changed = Promise.withResolvers<void>();

  take({ from, notes }: z.infer<typeof noteBatch>): void {
    for (const { question, answer } of notes.slice(Math.max(0, this.#count - from))) {
      this.#answers.set(question, [...(this.#answers.get(question) ?? []), answer]);
    }
    this.#count = Math.max(this.#count, from + notes.length);
    this.#wake();
  }

  end(): void {
    this.#isWhole = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#fault ??= error;
    this.#wake();
  }

  async whole(): Promise<void> {
    while (!this.#isWhole) await this.#change();
  }

  async next(question: string, asked: string): Promise<unknown> {
    for (;;) {
      const answer = this.#answers.get(question)?.shift();
      if (answer !== undefined) return answer;
      if (this.#isWhole) throw new Error(`${asked} was asked and not answered`);
      await this.#change();
    }
  }

  async #change(): Promise<void> {
    if (this.#fault !== null) throw this.#fault;
    await this.#changed.promise;
    if (this.#fault !== null) throw this.#fault;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Base64 of the bytes: JSON has no NaN and no infinities. */
export function floatsToText(_key: string, value: unknown): unknown {
  if (!(value instanceof Float32Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

const floats = z.base64().transform((text) => {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / Float32Array.BYTES_PER_ELEMENT));
});
const share = z.number().min(0).max(1);
const language = z.string().regex(/^[a-z]{0,3}$/);
const windowSegment = z.strictObject({
  startSeconds: seconds,
  endSeconds: seconds,
  text: z.string().max(10_000),
  confidence: share,
  levelDb: z.number(),
});
const elapsedMs = z.number().min(0);
const device = z.string().regex(/^[a-z0-9-]{0,50}$/);
const inferred = z.object({ logits: floats, elapsedMs, waitedMs: elapsedMs, device });
const detected = z.object({ probabilities: floats, elapsedMs });
const transcribed = z.object({
  elapsedMs,
  text: z.strictObject({
    language,
    languages: z.array(z.strictObject({ code: language, share })).max(200),
    noSpeech: share,
    isLeftOut: z.boolean(),
    segments: z.array(windowSegment).max(1000),
  }),
});
const noAnswer = z.union([
  z.strictObject({ failed: z.string().max(2000) }),
  z.strictObject({ isLate: z.literal(true) }),
]);

interface ReplayedJob {
  attempt: Attempt;
  files: AnalysisFiles;
  findPack: (key: string) => InstalledPack | undefined;
  answers: ChildAnswers;
  kept: ReadonlyMap<string, { hash: string; sizeBytes: number }>;
  closed: AbortController;
  heldSeconds: () => number;
}

/** The result that follows from the answers, once its files are there. Throws if none follows. */
export async function replay(
  { attempt, files, findPack, answers, kept, closed, heldSeconds }: ReplayedJob,
  terms: Pick<AnalysisParts, 'trust' | 'stability'> & { analysisTimeoutMs: number },
): Promise<AnalysisResult> {
  const named = new Set<string>();
  const put = async (_analysisId: string, name: string) => void named.add(name);
  const parts: AnalysisParts = {
    ...terms,
    ...answeringChildren(answers, { findPack, heldSeconds }),
    findPack,
    store: { blobs: files.blobs, artifacts: { put } },
    stepTimed: () => {},
    videoDecoder: 'cpu',
    videoDecoded: () => {},
    inferTimeoutMs: terms.analysisTimeoutMs,
    decodeTimeoutMs: terms.analysisTimeoutMs,
  };
  // Progress and step times are the worker's own report.
  const silent = { report: () => {}, stepTimed: () => {}, signal: closed.signal };
  const result = checkResult(await analyse(parts, { ...attempt, ...silent }));
  await answers.whole();
  const stray = [...named.symmetricDifference(new Set(kept.keys()))][0];
  if (stray !== undefined) throw new Error(`the file ${stray} ${named.has(stray) ? 'did not come' : 'came'}`);
  for (const { file, hash, sizeBytes } of result.kind === 'video'
    ? [...result.frames, ...result.tracks]
    : []) {
    const came = kept.get(file);
    if (came?.hash !== hash || came.sizeBytes !== sizeBytes) throw new Error(`the file ${file} is another`);
  }
  return result;
}

/** Several processes of a worker may work at once, and its clock differs from this box's. */
const PROCESSES_MAX = 16;
const SLACK_SECONDS = 1;

/** Each answer is judged by its question, as that of a child of this box is. */
function answeringChildren(
  answers: ChildAnswers,
  { findPack, heldSeconds }: Pick<ReplayedJob, 'findPack' | 'heldSeconds'>,
): Children {
  const questions = new Questions();
  const ask = async <T extends { elapsedMs: number }>(
    type: string,
    work: { pack: string },
    shape: z.ZodType<T>,
  ): Promise<T> => {
    const asked = `${type} of ${work.pack}`;
    const answer = await answers.next(questions.nameOf(type, work), asked);
    const failure = noAnswer.safeParse(answer).data;
    if (failure !== undefined && 'failed' in failure) throw new ModelFailedError(failure.failed);
    if (failure !== undefined) throw new AbortError(AbortSignal.abort());
    const { data, error } = shape.safeParse(answer);
    if (error !== undefined) throw new Error(`${asked}: ${describeFault(error)}`);
    const most = heldSeconds() * PROCESSES_MAX + SLACK_SECONDS;
    if (data.elapsedMs <= most * 1000) return data;
    throw new Error(`${asked} took ${data.elapsedMs / 1000} s, at most ${most.toFixed(1)} s can have passed`);
  };
  return {
    decodePool: { run: async (_purpose, work) => await work(answeringSlot(answers, questions)) },
    inference: {
      infer: async (work) => {
        const pack = findPack(work.pack)?.pack;
        const length = pack === undefined ? 0 : work.count * outputLengthOf(pack);
        return await ask(
          'infer',
          work,
          inferred.refine(({ logits }) => logits.length === length, `${length} logits`),
        );
      },
      detectSpeech: async (work) => {
        const pack = findPack(work.pack)?.pack;
        const frames =
          pack && isDetectorPack(pack) ? Math.ceil(work.sampleCount / pack.view.frameSamples) : 0;
        return await ask(
          'detect-speech',
          work,
          detected.refine(
            ({ probabilities }) =>
              probabilities.length === frames && probabilities.every((one) => one >= 0 && one <= 1),
            `${frames} probabilities`,
          ),
        );
      },
      transcribe: async (work) => await ask('transcribe', work, transcribed),
    },
  };
}

function answeringSlot(answers: ChildAnswers, questions: Questions): AnalysisSlot {
  return {
    placeInput: async (_path, { name = INPUT_NAME } = {}) => name,
    outPath: (file) => file,
    openOut: () => ({ sizeBytes: 0, chunks: async function* () {}, [Symbol.dispose]() {} }),
    async request<W extends DecodeWork>(work: W, { onFrame, onPatched }: RequestOptions = {}) {
      const question = questions.nameOf(work.type, work);
      for (;;) {
        const said = await answers.next(question, work.type);
        const answer = parseDecodeAnswer<W['type']>(work.type, said);
        if (answer !== null) return answer;
        const message = parseDecodeMessage(said);
        if (message?.type === 'frame') onFrame?.(message.frame);
        else if (message?.type === 'patched') onPatched?.(message.picture);
        else throw new Error(`${work.type} was answered by what is no answer`);
      }
    },
  };
}

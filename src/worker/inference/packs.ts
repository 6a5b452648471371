/**
 * Brings packs up: providers in the order given, each judged by the golden outputs. A pack that no provider
 * reproduces is out of service, with every provider's reason.
 */
import type { InferenceRequest, LoadedPack, PackReport } from '../inference-protocol.ts';
import { Detection } from './detection.ts';
import { DetectionQueue } from './detection-queue.ts';
import { goldenDifference, makeGoldenSound, pickEvenly } from './golden.ts';
import { goldenSource } from './item-source.ts';
import { type BatchPack, PackSession } from './pack-session.ts';
import { RequestQueue, type WorkQueue } from './request-queue.ts';
import { type SpeechPack, SpeechSession } from './speech-session.ts';

export type LoadRequest = Extract<InferenceRequest, { type: 'load' }>;

export interface BroughtUp {
  queue: WorkQueue | null;
  report: PackReport;
}

export async function bringUp(pack: LoadedPack, request: LoadRequest): Promise<BroughtUp> {
  const startedAt = performance.now();
  const faults: string[] = [];
  let goldenError: number | null = null;
  for (const provider of request.providers) {
    const attempt = await tryProvider(pack, provider, request);
    goldenError = attempt.goldenError ?? goldenError;
    if (attempt.queue !== null) {
      // Not silent: that a better provider failed is in the daemon's log.
      for (const fault of faults) process.stderr.write(`${pack.key}: ${fault}\n`);
      const report = toReport(pack, provider, null, goldenError, startedAt);
      const { outputs } = attempt;
      return {
        queue: attempt.queue,
        report: outputs === undefined ? report : { ...report, goldenOutputs: outputs },
      };
    }
    faults.push(`${provider}: ${attempt.fault}`);
  }
  const fault = faults.length === 0 ? 'no execution provider is configured' : faults.join('; ');
  return { queue: null, report: toReport(pack, null, fault, goldenError, startedAt) };
}

function toReport(
  { key }: LoadedPack,
  provider: string | null,
  fault: string | null,
  goldenError: number | null,
  startedAt: number,
): PackReport {
  return { key, provider, fault, goldenError, loadMs: performance.now() - startedAt };
}

interface Attempt {
  queue: WorkQueue | null;
  fault: string;
  goldenError: number | null;
  /** Where they are recorded instead of compared. */
  outputs?: number[];
}

/** A model that is open on a provider, before it is judged. */
interface Candidate {
  /** The outputs that are compared. */
  runGolden: () => Promise<Float32Array>;
  queue: WorkQueue;
}

async function tryProvider(pack: LoadedPack, provider: string, request: LoadRequest): Promise<Attempt> {
  let candidate: Candidate | null = null;
  try {
    candidate = await openCandidate(pack, provider, request);
    const outputs = await candidate.runGolden();
    const { tolerance, expected, isRecorded } = pack.golden;
    if (isRecorded === true) {
      return { queue: candidate.queue, fault: '', goldenError: null, outputs: [...outputs] };
    }
    const goldenError = goldenDifference(outputs, expected);
    if (goldenError <= tolerance) return { queue: candidate.queue, fault: '', goldenError };
    await candidate.queue.release();
    const fault = `the golden outputs differ by ${goldenError.toPrecision(3)}, at most ${tolerance} is allowed`;
    return { queue: null, fault, goldenError };
  } catch (error) {
    await candidate?.queue.release();
    const text = error instanceof Error ? error.message : String(error);
    return { queue: null, fault: text.trim().slice(0, 300), goldenError: null };
  }
}

async function openCandidate(pack: LoadedPack, provider: string, request: LoadRequest): Promise<Candidate> {
  const { input } = pack;
  if (input.kind === 'speech') {
    const speechPack: SpeechPack = { ...pack, input };
    const session = await SpeechSession.open(speechPack, provider, request.threads);
    return { runGolden: () => runSpeechGolden(session), queue: new DetectionQueue(session) };
  }
  const batchPack: BatchPack = { ...pack, input };
  const session = await PackSession.open(batchPack, provider, request);
  return { runGolden: () => runBatchGolden(session), queue: new RequestQueue(session) };
}

async function runBatchGolden(session: PackSession): Promise<Float32Array> {
  const { golden, input, outputLength } = session.pack;
  const source = goldenSource(input);
  const outputs = new Float32Array(golden.items * outputLength);
  for (let first = 0; first < golden.items; first += session.batchMax) {
    const count = Math.min(session.batchMax, golden.items - first);
    source.write(first, count, session.place(0));
    outputs.set(await session.run(count), first * outputLength);
  }
  return pickEvenly(outputs, golden.expected.length);
}

/** The first frames of the first golden sound. */
async function runSpeechGolden(session: SpeechSession): Promise<Float32Array> {
  const { golden, input } = session.pack;
  const sound = makeGoldenSound(0, golden.expected.length * input.frameSamples);
  const detection = new Detection(session, sound.length, (offset, samples) => {
    const from = Math.max(0, offset);
    samples.fill(0);
    samples.set(sound.subarray(from, offset + samples.length), from - offset);
  });
  while (!detection.isDone) await detection.step();
  return detection.probabilities;
}

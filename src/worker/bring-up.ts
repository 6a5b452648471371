/** Tries the providers in order, each judged by the golden outputs, in half precision first if that is wanted. */
import { type GoldenDifference, goldenDifference } from '../domain/packs/golden-difference.ts';
import { Detection } from './inference/detection.ts';
import { DetectionQueue } from './inference/detection-queue.ts';
import { makeGoldenSound, pickEvenly } from './inference/golden.ts';
import { goldenSource } from './inference/item-source.ts';
import { type BatchPack, type Device, PackSession } from './inference/pack-session.ts';
import { RequestQueue, type WorkQueue } from './inference/request-queue.ts';
import { type SpeechPack, SpeechSession } from './inference/speech-session.ts';
import type { InferenceRequest, LoadedPack, PackReport, Precision } from './protocol/inference-protocol.ts';

/** Further inputs on which half precision must agree with full, since the golden ones are few. */
const PARITY_ITEMS = 32;

export type LoadRequest = Extract<InferenceRequest, { type: 'load' }>;

export interface BroughtUp {
  queue: WorkQueue | null;
  report: PackReport;
}

export async function bringUp(pack: LoadedPack, asked: LoadRequest): Promise<BroughtUp> {
  const startedAt = performance.now();
  const request = placesFor(pack, asked);
  const faults: string[] = [];
  let goldenError: number | null = null;
  for (const provider of request.providers) {
    const attempt = await tryPrecisions(pack, provider, request);
    goldenError = attempt.goldenError ?? goldenError;
    const { queue, outputs, precision, precisionNote } = attempt;
    if (queue !== null) {
      const place = { provider, precision, precisionNote, passedOver: faults };
      const loadMs = performance.now() - startedAt;
      const report = { key: pack.key, ...place, fault: null, goldenError, loadMs };
      return { queue, report: outputs === undefined ? report : { ...report, goldenOutputs: outputs } };
    }
    faults.push(`${provider}: ${attempt.fault}`);
  }
  const fault = faults.length === 0 ? 'no execution provider is configured' : faults.join('; ');
  const loadMs = performance.now() - startedAt;
  const none = { provider: null, precision: 'full' as const, precisionNote: null, passedOver: [] };
  return { queue: null, report: { key: pack.key, ...none, fault, goldenError, loadMs } };
}

/** A pack that stays on the CPU is opened there whatever is asked, and must be reported there. */
function placesFor({ staysOnCpu }: LoadedPack, asked: LoadRequest): LoadRequest {
  return staysOnCpu === true ? { ...asked, providers: ['cpu'], halfProviders: [] } : asked;
}

interface Attempt {
  queue: WorkQueue | null;
  precision: Precision;
  precisionNote: string | null;
  fault: string;
  goldenError: number | null;
  outputs?: number[];
  runParity?: Candidate['runParity'];
}

/** Tries half precision if it is wanted, and takes full precision, with the reason, if its outputs are wrong. */
async function tryPrecisions(pack: LoadedPack, provider: string, request: LoadRequest): Promise<Attempt> {
  const tryFull = async (precisionNote: string | null) => ({
    ...(await tryDevice(pack, { provider, precision: 'full' }, request)),
    precisionNote,
  });
  // Recorded outputs are a reference, so they are made in full precision.
  if (request.halfProviders.length === 0 || pack.golden.isRecorded === true) return await tryFull(null);
  if (!request.halfProviders.includes(provider))
    return await tryFull(`${provider} runs models in full precision only`);
  const half = await tryDevice(pack, { provider, precision: 'half' }, request);
  if (half.queue === null) return await tryFull(`in half precision ${half.fault}`);
  const full = await tryFull(null);
  const fault = full.queue === null ? full.fault : await findParityFault(half, full, pack.golden.tolerance);
  await (fault === null ? full : half).queue?.release();
  return fault === null
    ? { ...half, precisionNote: null }
    : { ...full, precisionNote: `in half precision ${fault}` };
}

/** Compares two open sessions; null if they agree. */
async function findParityFault(
  half: Pick<Attempt, 'runParity'>,
  full: Pick<Attempt, 'runParity'>,
  tolerance: number,
): Promise<string | null> {
  try {
    const [actual, expected] = [await half.runParity?.(), await full.runParity?.()];
    if (actual === undefined || expected === undefined) return 'it was not compared with full precision';
    const difference = goldenDifference(actual, [...expected]);
    if (difference.largest <= tolerance) return null;
    return describeDifference('the outputs for made inputs', difference, expected.length, tolerance);
  } catch (error) {
    return describeRuntimeFault(error);
  }
}

interface Candidate {
  runGolden: () => Promise<Float32Array>;
  runParity: () => Promise<Float32Array>;
  queue: WorkQueue;
}

async function tryDevice(
  pack: LoadedPack,
  device: Device,
  request: LoadRequest,
): Promise<Omit<Attempt, 'precisionNote'>> {
  const { precision } = device;
  let candidate: Candidate | null = null;
  try {
    candidate = await openCandidate(pack, device, request);
    const outputs = [...(await candidate.runGolden())];
    const { queue, runParity } = candidate;
    const { tolerance, expected, isRecorded } = pack.golden;
    if (isRecorded === true) return { queue, precision, fault: '', goldenError: null, outputs };
    const difference = goldenDifference(outputs, expected);
    const goldenError = difference.largest;
    if (goldenError <= tolerance) return { queue, precision, fault: '', goldenError, outputs, runParity };
    await queue.release();
    const fault = describeDifference('the golden outputs', difference, expected.length, tolerance);
    return { queue: null, precision, fault, goldenError };
  } catch (error) {
    await candidate?.queue.release();
    return { queue: null, precision, fault: describeRuntimeFault(error), goldenError: null };
  }
}

function describeDifference(
  what: string,
  { largest, index }: GoldenDifference,
  count: number,
  tolerance: number,
): string {
  const where = `(number ${index + 1} of ${count})`;
  return `${what} differ by ${largest.toPrecision(3)} ${where}, at most ${tolerance} is allowed`;
}

async function openCandidate(pack: LoadedPack, device: Device, request: LoadRequest): Promise<Candidate> {
  const { input } = pack;
  if (input.kind === 'transcription') {
    // Loaded only for a transcription model: what it reads its files with takes a third of a child's start.
    const { openTranscription } = await import('./inference/transcription/open-transcription.ts');
    return await openTranscription({ ...pack, input }, request.threads);
  }
  if (input.kind === 'speech') {
    const speechPack: SpeechPack = { ...pack, input };
    const session = await SpeechSession.open(speechPack, device, request.threads);
    const run = () => runSpeechGolden(session);
    return { runGolden: run, runParity: run, queue: new DetectionQueue(session) };
  }
  const batchPack: BatchPack = { ...pack, input };
  const session = await PackSession.open(batchPack, device, request);
  const { expected, items } = pack.golden;
  return {
    runGolden: async () => pickEvenly(await runMadeItems(session, items), expected.length),
    runParity: () => runMadeItems(session, PARITY_ITEMS),
    queue: new RequestQueue(session),
  };
}

async function runMadeItems(session: PackSession, items: number): Promise<Float32Array> {
  const { input, outputLength } = session.pack;
  const source = goldenSource(input);
  const outputs = new Float32Array(items * outputLength);
  for (let first = 0; first < items; first += session.batchMax) {
    const count = Math.min(session.batchMax, items - first);
    source.write(first, count, session.place(0));
    outputs.set(await session.run(count), first * outputLength);
  }
  return outputs;
}

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

const LENGTH_MAX = 300;
/** NVIDIA's libraries put a long C++ signature before the failure, and the host's name and source files after it: only the failure is kept. */
const LIBRARY_FAILURE = /\b(?:CUDA|CUBLAS|CUDNN|CUFFT|CURAND)\d* failure -?\d+: [^;]*[^;\s]/i;

/** Shortens the runtime's errors for status, the log and `assay doctor`. */
export function describeRuntimeFault(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).trim();
  return (LIBRARY_FAILURE.exec(message)?.[0] ?? message).slice(0, LENGTH_MAX);
}

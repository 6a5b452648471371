/**
 * Brings packs up: providers in the order given, each judged by the golden outputs. A pack that no provider
 * reproduces is out of service, with every provider's reason.
 */
import type { InferenceRequest, LoadedPack, PackReport } from '../protocol.ts';
import { goldenDifference, makeGoldenPatches } from './golden.ts';
import { PackSession } from './pack-session.ts';

export type LoadRequest = Extract<InferenceRequest, { type: 'load' }>;

export interface BroughtUp {
  session: PackSession | null;
  report: PackReport;
}

export async function bringUp(pack: LoadedPack, request: LoadRequest): Promise<BroughtUp> {
  const startedAt = performance.now();
  const faults: string[] = [];
  let goldenError: number | null = null;
  for (const provider of request.providers) {
    const attempt = await tryProvider(pack, provider, request);
    goldenError = attempt.goldenError ?? goldenError;
    if (attempt.session !== null) {
      // Not silent: that a better provider failed is in the daemon's log.
      for (const fault of faults) process.stderr.write(`${pack.key}: ${fault}\n`);
      return { session: attempt.session, report: toReport(pack, provider, null, goldenError, startedAt) };
    }
    faults.push(`${provider}: ${attempt.fault}`);
  }
  const fault = faults.length === 0 ? 'no execution provider is configured' : faults.join('; ');
  return { session: null, report: toReport(pack, null, fault, goldenError, startedAt) };
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
  session: PackSession | null;
  fault: string;
  goldenError: number | null;
}

async function tryProvider(pack: LoadedPack, provider: string, request: LoadRequest): Promise<Attempt> {
  let session: PackSession | null = null;
  try {
    session = await PackSession.open(pack, provider, request);
    const goldenError = await measureGolden(session);
    const { tolerance } = pack.golden;
    if (goldenError <= tolerance) return { session, fault: '', goldenError };
    await session.release();
    const fault = `the golden outputs differ by ${goldenError.toPrecision(3)}, at most ${tolerance} is allowed`;
    return { session: null, fault, goldenError };
  } catch (error) {
    await session?.release();
    const text = error instanceof Error ? error.message : String(error);
    return { session: null, fault: text.trim().slice(0, 300), goldenError: null };
  }
}

async function measureGolden(session: PackSession): Promise<number> {
  const { golden, input } = session.pack;
  const patches = makeGoldenPatches(golden.expected.length, input.size);
  const patchBytes = input.size ** 2 * 3;
  let largest = 0;
  for (let first = 0; first < golden.expected.length; first += session.batchMax) {
    const expected = golden.expected.slice(first, first + session.batchMax);
    session.fill(patches.subarray(first * patchBytes, (first + expected.length) * patchBytes), 0);
    largest = Math.max(largest, goldenDifference(await session.run(expected.length), expected));
  }
  return largest;
}

/** Sends files through the running daemon, as any client does, and notes what it answers. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachBounded } from '../src/cli/bounded.ts';
import type { AssayClient } from '../src/cli/client.ts';
import { CliFailure, EXIT_CODES, toFailure } from '../src/cli/failure.ts';
import { type Classification, Status } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import { answerOf, type Task } from './answers.ts';
import type { LabelledFile } from './labelled-folder.ts';
import type { Journal } from './measurement.ts';
import { CLEAN, type EvaluatedKind, makeCopy, type TierCopy } from './tiers.ts';

export interface Evaluation {
  folder: string;
  kind: EvaluatedKind;
  task: Task;
  tiers: readonly string[];
  /** Pixels that the models need on the short side. */
  shortSideMin: number;
  jobs: number;
  /** Whether the records stay in the daemon. */
  keepsRecords: boolean;
  interrupted: AbortSignal;
  onDone: () => void;
}

interface Work {
  file: LabelledFile;
  tier: string;
}

const KINDS = { image: MediaKind.IMAGE, audio: MediaKind.AUDIO } as const;
const CHUNK_BYTES = 256 * 1024;
/** A busy daemon is asked again so often, after growing pauses. */
const ATTEMPTS_MAX = 10;
const PAUSE_SECONDS_MIN = 0.5;
const PAUSE_SECONDS_MAX = 30;

/** Measures what the journal does not hold yet. Throws what makes the rest pointless, such as an unreachable daemon. */
export async function classifyFiles(
  client: AssayClient,
  files: readonly LabelledFile[],
  evaluation: Evaluation,
  journal: Journal,
): Promise<void> {
  const work = files.flatMap((file) => evaluation.tiers.map((tier) => ({ file, tier })));
  await forEachBounded(untilInterrupted(work, evaluation.interrupted), evaluation.jobs, async (item) => {
    if (!journal.has(item.file.path, item.tier)) await measure(client, item, evaluation, journal);
    evaluation.onDone();
  });
}

async function* untilInterrupted<T>(items: readonly T[], signal: AbortSignal): AsyncGenerator<T> {
  for (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

async function measure(
  client: AssayClient,
  work: Work,
  evaluation: Evaluation,
  journal: Journal,
): Promise<void> {
  const { file, tier } = work;
  const { path, label, source, kind } = file;
  try {
    const { bytes, held } = await readMedia(work, evaluation);
    const record = await classifyPatiently(client, work, bytes, evaluation);
    if (record.status !== Status.DONE) journal.add({ path, tier, error: record.errors });
    else journal.add({ path, tier, label, source, kind, held, ...answerOf(evaluation.task, record) });
    if (evaluation.keepsRecords) return;
    await client.call(ClassificationService.method.deleteClassification, { identifier: record.identifier });
  } catch (error) {
    if (evaluation.interrupted.aborted) return;
    if (error instanceof CliFailure && error.isFatal) throw error;
    if (!(error instanceof Error)) throw error;
    journal.add({ path, tier, error: error.message });
  }
}

async function readMedia({ file, tier }: Work, evaluation: Evaluation): Promise<TierCopy> {
  const path = join(evaluation.folder, file.path);
  if (tier === CLEAN) return { bytes: await readFile(path), held: false };
  const { kind, shortSideMin } = evaluation;
  return await makeCopy(path, file, { kind, tier, shortSideMin });
}

async function classifyPatiently(
  client: AssayClient,
  work: Work,
  bytes: Buffer,
  evaluation: Evaluation,
): Promise<Classification> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await classify(client, work, bytes, evaluation);
    } catch (error) {
      const wait = error instanceof CliFailure ? error.retryAfterSeconds : null;
      if (wait === null || attempt === ATTEMPTS_MAX) throw error;
      const seconds = Math.min(PAUSE_SECONDS_MAX, Math.max(PAUSE_SECONDS_MIN, wait) * attempt);
      await sleep(seconds * 1000, undefined, { signal: evaluation.interrupted });
    }
  }
}

async function classify(
  client: AssayClient,
  { file }: Work,
  bytes: Buffer,
  { kind, task, interrupted }: Evaluation,
): Promise<Classification> {
  const call = client.openDuplex(ClassificationService.method.classifyMedia);
  const cancel = () => call.cancel();
  interrupted.addEventListener('abort', cancel, { once: true });
  const options = {
    preventC2paForces: true,
    withMorphing: task === 'faces',
    withTampering: task === 'tampering',
  };
  const name = basename(file.path);
  call.write({ payload: { case: 'header', value: { name, kind: KINDS[kind], options } } });
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    call.write({ payload: { case: 'chunk', value: bytes.subarray(start, start + CHUNK_BYTES) } });
  }
  call.write({ payload: { case: 'commit', value: { sizeBytes: BigInt(bytes.length) } } });
  call.end();
  try {
    let record: Classification | null = null;
    for await (const { update } of call) if (update.case === 'classification') record = update.value;
    if (record !== null) return record;
    throw new CliFailure('the daemon sent no record', EXIT_CODES.someFailed);
  } catch (error) {
    throw toFailure(error, client.address);
  } finally {
    interrupted.removeEventListener('abort', cancel);
  }
}

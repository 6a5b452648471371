/** Sends files through the running daemon, as any client does, and notes what it answers. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AssayClient } from '../src/cli/daemon/client.ts';
import { forEachBounded } from '../src/cli/terminal/bounded.ts';
import { CliFailure } from '../src/cli/terminal/failure.ts';
import { type Classification, HeatmapLayer, Status } from '../src/grpc/gen/assay/v1/classification_pb.ts';
import { ClassificationService } from '../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { MediaKind } from '../src/grpc/gen/assay/v1/media_pb.ts';
import { answerOf } from './answers.ts';
import { compareMap, findMask, type Localisation, readMask } from './edit-masks.ts';
import type { LabelledFile } from './labelled-folder.ts';
import type { Journal, Measurement } from './measurement.ts';
import { removeRecord, submitFile } from './submit-file.ts';
import type { Task } from './task.ts';
import { CLEAN, type EvaluatedKind, makeCopy, type TierCopy } from './tiers.ts';

export interface Evaluation {
  folder: string;
  kind: EvaluatedKind;
  task: Task;
  tiers: readonly string[];
  /** The fold whose packs answer; null for the running daemon's. */
  fold: string | null;
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

const KINDS = { image: MediaKind.IMAGE, audio: MediaKind.AUDIO, video: MediaKind.VIDEO } as const;

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
  const { path } = work.file;
  const { tier } = work;
  try {
    const copy = await readMedia(work, evaluation);
    const record = await submit(client, work.file, copy, evaluation);
    try {
      const error = record.status === Status.DONE ? null : record.errors;
      journal.add(
        error === null ? await answer(client, work, copy, evaluation, record) : { path, tier, error },
      );
    } finally {
      if (!evaluation.keepsRecords) await removeRecord(client, record.identifier);
    }
  } catch (error) {
    if (evaluation.interrupted.aborted) return;
    if (error instanceof CliFailure && error.isFatal) throw error;
    if (!(error instanceof Error)) throw error;
    journal.add({ path, tier, error: error.message });
  }
}

async function submit(
  client: AssayClient,
  { path }: LabelledFile,
  { bytes }: TierCopy,
  { kind, task, interrupted }: Evaluation,
): Promise<Classification> {
  const options = {
    preventC2paForces: true,
    withMorphing: task === 'faces',
    withTampering: task === 'tampering',
  };
  const header = { name: basename(path), kind: KINDS[kind], options };
  return await submitFile(client, { header, bytes, interrupted });
}

async function answer(
  client: AssayClient,
  { file, tier }: Work,
  { held }: TierCopy,
  evaluation: Evaluation,
  record: Classification,
): Promise<Measurement> {
  const { path, label, source, kind, framesPerSecond } = file;
  const localisation = await locate(client, file, evaluation, record);
  const { fold, task } = evaluation;
  return {
    ...{ path, tier, label, source, kind, fold, held, framesPerSecond },
    shortSide: record.assessment?.quality?.shortSide ?? null,
    rulesVersion: record.readByRulesVersion,
    hasTrack: record.media.case === 'video' && record.media.value.audios.length > 0,
    ...answerOf(task, record),
    ...localisation,
  };
}

async function readMedia({ file, tier }: Work, evaluation: Evaluation): Promise<TierCopy> {
  const path = join(evaluation.folder, file.path);
  if (tier === CLEAN) return { bytes: await readFile(path), held: false };
  const { kind, shortSideMin } = evaluation;
  return await makeCopy(path, file, { kind, tier, shortSideMin });
}

/** Empty if there is no map, or no mask to compare it with. */
async function locate(
  client: AssayClient,
  { path, label }: LabelledFile,
  { folder }: Evaluation,
  { identifier, heatmapLayers }: Classification,
): Promise<{ localisation?: Localisation }> {
  const layer = HeatmapLayer.TAMPERING;
  if (!heatmapLayers.includes(layer)) return {};
  const maskPath = label === 'human' ? null : findMask(folder, path);
  if (label !== 'human' && maskPath === null) return {};
  const mask = maskPath === null ? null : await readMask(maskPath, join(folder, path));
  const chunks: Uint8Array[] = [];
  const request = { identifier, layer };
  for await (const { chunk } of client.receive(ClassificationService.method.getHeatmap, request)) {
    chunks.push(chunk);
  }
  return { localisation: await compareMap(Buffer.concat(chunks), mask) };
}

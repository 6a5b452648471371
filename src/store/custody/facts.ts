/** The details of an entry beside the chain: figures and names that go when the record goes. */
import type { CustodyDetails } from '../../domain/custody/entry.ts';
import type { Analysis, Classification, Override } from '../../domain/records/classification.ts';
import type { AnalysisResult, ModelRun } from '../../domain/verdicts/result.ts';

export function receivedDetails(record: Classification): CustodyDetails {
  const { kind, name, hash, mime, sizeBytes, sourceUrl, origin, analysisId, submittedBy } = record;
  const { manifestHash } = record;
  const key = submittedBy?.keyId ?? null;
  return {
    facade: submittedBy?.via,
    remoteAddress: record.remoteAddress,
    what: {
      kind,
      name,
      hash,
      mime,
      sizeBytes,
      sourceUrl,
      origin,
      analysisId,
      key,
      ...(manifestHash === undefined ? {} : { manifestHash }),
      ...deskDetail(record.deskId),
    },
  };
}

/** Absent for records of an account's own, as in entries from before there were desks. */
function deskDetail(deskId: number | undefined): { deskId?: number } {
  return deskId === undefined ? {} : { deskId };
}

export function fetchedDetails({ hash, mime, sizeBytes, name, sourceUrl }: Classification): CustodyDetails {
  return { what: { hash, mime, sizeBytes, name, sourceUrl } };
}

export function endedDetails(analysis: Analysis): CustodyDetails {
  const { kind, hash, state, error, apiVersion, rulesVersion, attempts, result } = analysis;
  if (state !== 'done') return { what: { kind, hash, error, apiVersion, attempts } };
  const models = analysis.models.map((key) => toModel(analysis, key, result));
  return { what: { kind, hash, apiVersion, rulesVersion, models } };
}

function toModel({ modelDigests = {} }: Analysis, key: string, result: AnalysisResult | null): object {
  const run = result === null ? undefined : findRun(result, key);
  return { model: key, sha256: modelDigests[key] ?? null, device: run?.device ?? null };
}

/** The model's first answer on any frame: a pack runs on one device at a time. */
function findRun(result: AnalysisResult, key: string): ModelRun | undefined {
  const isOfModel = (run: ModelRun): boolean => `${run.model}@${run.version}` === key;
  const own = result.runs.find(isOfModel);
  if (own !== undefined || result.kind === 'audio') return own;
  if (result.kind === 'image') return result.detections.flatMap(({ runs }) => runs).find(isOfModel);
  for (const { image } of result.frames) {
    const found = findRun(image, key);
    if (found !== undefined) return found;
  }
  return result.tracks.flatMap(({ audio }) => audio.runs).find(isOfModel);
}

export function overrideDetails({ kind, hash, classification, reason, measured, deskId }: Override): object {
  return { kind, hash, classification, reason, measured, ...deskDetail(deskId) };
}

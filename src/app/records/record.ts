/** Builds the record that facades serve from what is stored; pure but for the reads. */
import {
  measureAudio,
  measureImage,
  measureVideo,
  type Reading,
  UNMEASURED_AUDIO,
  UNMEASURED_IMAGE,
  UNMEASURED_VIDEO,
} from '../../domain/answers/measured.ts';
import type {
  AudioRecord,
  ClassificationRecord,
  ImageRecord,
  RecordBase,
} from '../../domain/answers/record.ts';
import { faultOfRecord } from '../../domain/answers/record-fault.ts';
import { heldFor } from '../../domain/desk.ts';
import { AppError } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Profile } from '../../domain/records/answer-class.ts';
import {
  type AddedAnalyses,
  type Analysis,
  type Classification,
  isAdding,
  isAtWork,
  type Progress,
  statusOf,
} from '../../domain/records/classification.ts';
import { readingOfRecord, readsOtherwise } from '../../domain/records/exported-reading.ts';
import { type Headlined, headlineOf } from '../../domain/records/headline.ts';
import { completeOptions } from '../../domain/records/options.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import { toTimestampStatus } from '../../domain/records/package-timestamps.ts';
import { type Shot, shotsOf } from '../../domain/records/shots.ts';
import { DEFAULT_HEURISTIC } from '../../domain/verdicts/heuristics.ts';
import type {
  AnalysisResult,
  FrameResult,
  ResultPart,
  TrackResult,
  VideoResult,
} from '../../domain/verdicts/result.ts';
import { rulesOf } from '../../domain/verdicts/rules-version.ts';
import { toTentative } from '../../domain/verdicts/tentative.ts';
import { accountNameOf } from '../accounts/audit.ts';
import { type FileOfRecord, findingOn } from '../callers/rights.ts';
import { signOffOf } from './judging.ts';
import type { RecordParts } from './parts.ts';
import { cannotBeShown } from './refusals.ts';

export function readRecord(app: RecordParts, identifier: string): ClassificationRecord {
  const classification = app.store.read.records.get(identifier);
  if (classification === undefined) throw new AppError('classification', 'no such classification');
  return toRecord(app, classification);
}

/** Throws `damaged` if the stored values cannot be shown. */
export function toRecord(app: RecordParts, classification: Classification): ClassificationRecord {
  const build = () => recordOf(app, classification, analysisOf(app, classification));
  return app.refusals.shown(classification.identifier, build);
}

/** Reuses the last build if nothing that it depends on has changed. A video's parts may have, so it is rebuilt. */
export function currentRecord(app: RecordParts, classification: Classification): ClassificationRecord {
  return app.refusals.shown(classification.identifier, () => unchangedOrBuilt(app, classification));
}

function unchangedOrBuilt(app: RecordParts, classification: Classification): ClassificationRecord {
  const { identifier, kind } = classification;
  const { revision } = app.store;
  const unchanged = app.records.unchanged(identifier, revision);
  if (unchanged !== undefined) return unchanged;
  const analysis = analysisOf(app, classification);
  const build = () => recordOf(app, classification, analysis);
  if (kind === 'video') return build();
  const { account, plan } = ownerOf(app, classification);
  const finding = findingKey(app, classification);
  const exports = app.store.read.exportsOf(identifier);
  const stamped =
    exports?.exports.map(({ packageSha256 }) => app.store.read.timestampsOf(packageSha256)) ?? [];
  const own = [classification, analysis, account, plan, finding, exports];
  const madeFrom = [...own, app.config.publicUrl, ...stamped];
  if (!isAtWork(analysis)) return app.records.get({ identifier, revision }, madeFrom, build);
  // Its progress changes without a change of the store.
  const work = { identifier, revision: Number.NaN };
  return app.records.get(work, [...madeFrom, ...progressKey(app, analysis)], build);
}

/** Each progress report is another object. */
function progressKey({ running }: RecordParts, { id, accountId, addition }: Analysis): unknown[] {
  const added = addition === undefined ? null : running.progressOf(addition.id);
  return [running.progressOf(id), added, running.findingsOf(id), running.waitReason(accountId)?.step];
}

/** The record as it would be with this analysis. Throws whatever keeps it from being built. */
export function recordOf(
  app: RecordParts,
  classification: Classification,
  analysis: Analysis,
): ClassificationRecord {
  const base = baseOf(app, classification, analysis);
  const result = base.status === 'done' ? analysis.result : null;
  const reading = readingOf(app, classification);
  return convertible(withExports(app, measuredRecord(app, { classification, base, reading, result })));
}

/** Ensures that every facade can convert it: a conversion that throws would take the other rows of a list with it. */
function convertible<T extends ClassificationRecord>(record: T): T {
  const fault = faultOfRecord(record);
  if (fault !== undefined) throw cannotBeShown(record.identifier, fault);
  return record;
}

/** A record without its headline, which follows from the rest. */
type Headless = Omit<RecordBase, 'outcome' | 'headline'>;

function headed<T extends Headlined>(record: T, { policy }: Reading): T & Omit<RecordBase, keyof Headless> {
  return { ...record, outcome: outcomeOf(record), headline: headlineOf(record, policy) };
}

interface Measurable {
  classification: Classification;
  base: Headless;
  reading: Reading;
  result: AnalysisResult | null;
}

function measuredRecord(
  app: RecordParts,
  { classification, base, reading, result }: Measurable,
): ClassificationRecord {
  switch (classification.kind) {
    case 'image': {
      const measured = result?.kind === 'image' ? measureImage(result, reading) : UNMEASURED_IMAGE;
      return headed({ ...base, kind: 'image', ...measured }, reading);
    }
    case 'audio': {
      const measured = result?.kind === 'audio' ? measureAudio(result, reading) : UNMEASURED_AUDIO;
      return headed({ ...base, kind: 'audio', ...measured }, reading);
    }
    case 'video': {
      if (result?.kind !== 'video')
        return headed(
          { ...base, kind: 'video', ...UNMEASURED_VIDEO, images: [], audios: [], shots: [] },
          reading,
        );
      const whole: Whole = { app, base, reading, result, classification };
      const images = result.frames.map((frame) => frameRecord(whole, frame));
      const audios = result.tracks.map((track) => trackRecord(whole, track));
      const shots = shownShots(app, classification, images);
      return headed(
        { ...base, kind: 'video', ...measureVideo(result, reading), images, audios, shots },
        reading,
      );
    }
  }
}

/** By the perceptual hashes under which its frames are found again. */
function shownShots(
  { store: { read } }: RecordParts,
  { analysisId }: Classification,
  images: readonly ImageRecord[],
): Shot[] {
  const kept = (read.nearMatches.getUnlessDamaged(analysisId)?.sequences ?? []).flatMap(
    (sequence) => read.likenesses.getUnlessDamaged(sequence) ?? [],
  );
  const hashes = new Map(kept.map(({ timeSeconds, hash }) => [timeSeconds, hash]));
  return shotsOf(
    images.map(({ assessment, timeSeconds }) => ({
      probability: assessment?.probability ?? null,
      perceptualHash: hashes.get(timeSeconds),
    })),
  );
}

/** Adds the exported findings beside the present one. */
function withExports({ store }: RecordParts, record: ClassificationRecord): ClassificationRecord {
  const stored = store.read.exportsOf(record.identifier)?.exports ?? [];
  if (stored.length === 0) return record;
  const now = readingOfRecord(record);
  const exports = stored.map((made) => ({
    ...made,
    timestamps: (store.read.timestampsOf(made.packageSha256)?.requests ?? []).map(toTimestampStatus),
    readsOtherwise: now === null || readsOtherwise(made, now),
  }));
  return { ...record, exports };
}

/** The record of one frame or track of a video; undefined if the video's analysis has none. */
export function toPartRecord(
  app: RecordParts,
  classification: Classification,
  part: Omit<ResultPart, 'identifier'>,
): ImageRecord | AudioRecord | undefined {
  return app.refusals.shown(classification.identifier, () => partOf(app, classification, part));
}

function partOf(
  app: RecordParts,
  classification: Classification,
  { kind, index }: Omit<ResultPart, 'identifier'>,
): ImageRecord | AudioRecord | undefined {
  const analysis = analysisOf(app, classification);
  const base = baseOf(app, classification, analysis);
  const { result } = analysis;
  if (base.status !== 'done' || result?.kind !== 'video') return undefined;
  const whole: Whole = { app, base, reading: readingOf(app, classification), result, classification };
  const [frame, track] = [result.frames[index], result.tracks[index]];
  if (kind === 'image') return frame && convertible(frameRecord(whole, frame));
  return track && convertible(trackRecord(whole, track));
}

/** The video that a part belongs to. */
interface Whole {
  app: RecordParts;
  base: Headless;
  reading: Reading;
  result: VideoResult;
  classification: Classification;
}

function frameRecord(whole: Whole, frame: FrameResult): ImageRecord {
  const { image, timeSeconds } = frame;
  const name = `${whole.base.name} at ${timeSeconds.toFixed(2)} s`;
  const measured = measureImage(image, whole.reading, whole.result.provenance);
  const base = partBase(whole, 'image', { ...frame, name, mime: image.mime });
  return headed({ ...base, kind: 'image', ...measured, timeSeconds }, whole.reading);
}

function trackRecord(whole: Whole, track: TrackResult): AudioRecord {
  const { audio } = track;
  const name = `${whole.base.name}, sound`;
  const measured = measureAudio(audio, whole.reading, whole.result.provenance);
  const base = partBase(whole, 'audio', { ...track, name, mime: audio.mime });
  return headed({ ...base, kind: 'audio', ...measured }, whole.reading);
}

/** Never charged and never a submission: it takes the shared fields from its video. */
function partBase(
  { app, base, classification }: Whole,
  kind: MediaKind,
  part: Pick<RecordBase, 'identifier' | 'hash' | 'sizeBytes' | 'name' | 'mime'>,
): Headless {
  const { identifier, hash, sizeBytes, name, mime } = part;
  return {
    ...base,
    identifier,
    hash,
    sizeBytes,
    name,
    mime,
    credits: 0,
    sourceUrl: null,
    partOf: base.identifier,
    resultUrl: resultUrlOf(app, identifier),
    ...findingOf(app, { ...heldFor(classification.accountId, classification.deskId), kind, hash }),
  };
}

function resultUrlOf({ config }: RecordParts, identifier: string): string {
  return `${config.publicUrl}/classifications/${identifier}`;
}

function findingOf(
  { store: { read } }: RecordParts,
  file: FileOfRecord,
): Pick<RecordBase, 'forceClassification' | 'signOff'> {
  const finding = findingOn(read, file);
  if (finding === undefined) return { forceClassification: null, signOff: null };
  return { forceClassification: finding.classification, signOff: signOffOf(read, finding) };
}

/** Changes whenever the finding may; values are read anew, so their identity proves nothing. */
function findingKey({ store: { read } }: RecordParts, file: FileOfRecord): string {
  const finding = findingOn(read, file);
  if (finding === undefined) return '';
  const { asks = [], answers = [] } = read.signOff(finding) ?? {};
  const people = [finding, ...answers].map(({ byAccountId }) => accountNameOf(read.accounts, byAccountId));
  return JSON.stringify([finding.at, asks.length, answers.length, people]);
}

function analysisOf(app: RecordParts, { analysisId }: Classification): Analysis {
  const analysis = app.store.read.analyses.get(analysisId);
  if (analysis === undefined) throw new AppError('damaged', 'the analysis of this record is missing');
  return analysis;
}

function ownerOf({ store: { read } }: RecordParts, { accountId }: Pick<Classification, 'accountId'>) {
  const account = read.accounts.get(accountId);
  return { account, plan: account === undefined ? undefined : read.accounts.plans.get(account.planId) };
}

/** How the record's account weighs the figures. */
export function readingOf(app: RecordParts, classification: Classification): Reading {
  const { preventC2paForces } = classification.options;
  return { ...profileOf(app, classification), preventC2paForces };
}

/** The part that all of the account's records share. */
export function profileOf(app: RecordParts, owned: Pick<Classification, 'accountId'>): Profile {
  const { account, plan } = ownerOf(app, owned);
  return {
    heuristic: account?.heuristic ?? DEFAULT_HEURISTIC,
    policy: account?.c2paPolicy ?? plan?.c2paPolicy ?? 'any',
  };
}

function baseOf(app: RecordParts, classification: Classification, analysis: Analysis): Headless {
  const { identifier, hash } = classification;
  const status = statusOf(classification, analysis);
  return {
    identifier,
    hash,
    apiVersion: status === 'done' ? analysis.apiVersion : null,
    rules: status === 'done' ? rulesOf(analysis) : null,
    status,
    errors: errorsOf(classification, analysis),
    name: classification.name,
    refId: classification.refId,
    resultUrl: resultUrlOf(app, identifier),
    ...findingOf(app, classification),
    deskId: classification.deskId ?? null,
    accountId: classification.accountId,
    accountName: accountNameOf(app.store.read.accounts, classification.accountId),
    mime: classification.mime,
    sizeBytes: classification.sizeBytes,
    sourceUrl: classification.sourceUrl,
    options: completeOptions(classification.options),
    origin: classification.origin,
    credits: classification.credits,
    createdAt: classification.createdAt,
    endedAt: status === 'new' ? null : analysis.endedAt,
    progress: status === 'new' ? (app.running.progressOf(analysis.id) ?? toWaiting(app, analysis)) : null,
    added: addedOf(app, analysis),
    stepTimes: status === 'done' ? [...(analysis.stepTimes ?? [])] : [],
    tentative: status === 'new' ? toTentative(app.running.findingsOf(analysis.id)) : null,
    cancelled: classification.cancelled,
    partOf: null,
    submittedBy: classification.submittedBy ?? null,
    exports: [],
  };
}

/** The running addition to the result, or why the last one failed. */
function addedOf(app: RecordParts, analysis: Analysis): AddedAnalyses | null {
  const { addition } = analysis;
  if (addition === undefined) return null;
  const progress = isAdding(analysis)
    ? (app.running.progressOf(addition.id) ?? toWaiting(app, analysis))
    : null;
  return { analyses: addition.asked, progress, error: addition.error };
}

/** Its turn, or why it is not begun. */
function toWaiting({ running }: RecordParts, { accountId }: Analysis): Progress {
  return { step: running.waitReason(accountId)?.step ?? 'queued', done: 0, total: 1 };
}

function errorsOf(classification: Classification, analysis: Analysis): string {
  if (classification.cancelled || analysis.state === 'cancelled') return 'cancelled';
  return analysis.state === 'errored' ? analysis.error : '';
}

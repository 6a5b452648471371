/** A record as the command line shows it: one row for a person, one JSON line for a machine. */
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { mostSuspiciousMoment } from '../../domain/verdicts/suspicious-moment.ts';
import {
  type Classification,
  ClassificationSchema,
  Status,
  type Verdict,
} from '../../grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../../grpc/gen/assay/v1/media_pb.ts';
import { nameOf } from './enum-word.ts';

/** The record in its documented names (snake_case), every field present: protobuf's JSON. */
export function toRecordJson(record: Classification): JsonObject {
  const json = toJson(ClassificationSchema, record, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return json as JsonObject;
}

export interface RecordCells {
  /** Length of a video or a sound, like `1:05`; empty for a picture. */
  length: string;
  /** The title of the headline. */
  answer: string;
  /** The models' probability, `3 %`; empty if no model gave an answer. */
  chance: string;
  /** The documented verdict, for older programs: `artificial (signature)`. */
  verdict: string;
}

export function describeRecord(record: Classification): RecordCells {
  const { verdict, headline, assessment, status, errors } = record;
  const title = headline?.title?.en ?? '';
  const rule = verdict?.models.includes('c2pa') === true ? ' (signature)' : '';
  return {
    length: describeLength(record),
    answer: status === Status.ERRORED ? `${title}: ${errors}` : title,
    chance: describeChance(assessment?.probability),
    verdict: verdict === undefined ? '' : `${nameOf(Label, verdict.classification)}${rule}`,
  };
}

function describeChance(probability: number | undefined): string {
  return probability === undefined ? '' : `${(probability * 100).toFixed(0)} %`;
}

/** `so far 12 % chance of AI`; empty if nothing is known yet or no model gave an answer. */
export function describeTentative({ tentative }: Classification): string {
  const chance = describeChance(tentative?.probability);
  return chance === '' ? '' : `so far ${chance} chance of AI`;
}

function describeLength({ media }: Classification): string {
  const seconds = media.case === 'image' ? undefined : media.value?.durationSeconds;
  return seconds === undefined ? '' : formatSeconds(seconds);
}

/** `1:02:03`, `2:03`, and `0:04.5` below ten seconds. */
export function formatSeconds(seconds: number): string {
  const tenths = Math.round(seconds * 10) / 10;
  if (tenths < 10) return `0:0${tenths.toFixed(1)}`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const tail = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** The frames and tracks of a video, or the clips of a sound: when, what, how sure. */
export function describeParts({ media }: Classification): string[][] {
  if (media.case === 'audio') {
    return media.value.clips.map(({ start, end, verdict }) => [
      `${formatSeconds(start)} to ${formatSeconds(end)}`,
      ...describeVerdict(verdict),
    ]);
  }
  if (media.case !== 'video') return [];
  const frames = media.value.images.map((frame) => {
    const seconds = frame.media.case === 'image' ? (frame.media.value.timeSeconds ?? 0) : 0;
    return [formatSeconds(seconds), ...describeVerdict(frame.verdict), frame.identifier];
  });
  const tracks = media.value.audios.map((track) => [
    'sound',
    ...describeVerdict(track.verdict),
    track.identifier,
  ]);
  return [...frames, ...tracks];
}

type SuspiciousMoment = NonNullable<ReturnType<typeof mostSuspiciousMoment>>;

/** Where a video or a sound looks most artificial; null for a picture, and if no model gave an answer. */
export function momentOf({ media }: Classification): SuspiciousMoment | null {
  if (media.case === 'audio') {
    return mostSuspiciousMoment(
      media.value.clips.map(({ start, verdict }) => ({ seconds: start, probability: scoreOf(verdict) })),
    );
  }
  if (media.case !== 'video') return null;
  return mostSuspiciousMoment(
    media.value.images.map(({ media: frame, assessment }) => ({
      seconds: frame.case === 'image' ? (frame.value.timeSeconds ?? 0) : 0,
      probability: assessment?.probability ?? null,
    })),
  );
}

function scoreOf(verdict: Verdict | undefined): number | null {
  if (verdict === undefined || verdict.models.length === 0) return null;
  return verdict.classification === Label.ARTIFICIAL ? verdict.confidence : 1 - verdict.confidence;
}

/** `0:37, 91 % chance of AI`. */
export function describeMoment({ seconds, probability }: SuspiciousMoment): string {
  return `${formatSeconds(seconds)}, ${describeChance(probability)} chance of AI`;
}

/** A verdict without any model's answer is left empty. */
function describeVerdict(verdict: Verdict | undefined): string[] {
  if (verdict === undefined || verdict.models.length === 0) return ['unknown', ''];
  return [nameOf(Label, verdict.classification), `${(verdict.confidence * 100).toFixed(1)} %`];
}

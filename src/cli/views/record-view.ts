/** A record as the command line shows it: one row for a person, one JSON line for a machine. */
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { mostSuspiciousMoment } from '../../domain/verdicts/suspicious-moment.ts';
import { AssessmentState } from '../../grpc/gen/assay/v1/assessment_pb.ts';
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
  verdict: string;
  confidence: string;
  assessment: string;
  /** What the verdict rests on: models, `c2pa`, or `override` if a person decided. */
  decidedBy: string;
}

export function describeRecord(record: Classification): RecordCells {
  const { verdict } = record;
  const length = describeLength(record);
  if (record.status !== Status.DONE) {
    const word = record.status === Status.ERRORED ? `errored: ${record.errors}` : 'new';
    return { length, verdict: word, confidence: '', assessment: '', decidedBy: '' };
  }
  const assessment = nameOf(AssessmentState, record.assessment?.state);
  if (record.forceClassification !== Label.UNSPECIFIED) {
    return {
      length,
      verdict: nameOf(Label, record.forceClassification),
      confidence: '',
      assessment,
      decidedBy: 'override',
    };
  }
  return {
    length,
    verdict: nameOf(Label, verdict?.classification),
    confidence: verdict === undefined ? '' : `${(verdict.confidence * 100).toFixed(1)} %`,
    assessment,
    decidedBy: describeModels(verdict),
  };
}

/** A signature decides by the rule of the plan: it is no finding. */
function describeModels(verdict: Verdict | undefined): string {
  if (verdict === undefined || verdict.models.length === 0) return 'nothing';
  const names = verdict.models.join(', ');
  return verdict.models.includes('c2pa') ? `${names} (a rule on signatures, no finding)` : names;
}

/** `so far 12 % artificial`; empty if nothing is known yet or no model could answer. */
export function describeTentative({ tentative }: Classification): string {
  const probability = tentative?.probability;
  return probability === undefined ? '' : `so far ${(probability * 100).toFixed(0)} % artificial`;
}

function describeLength({ media }: Classification): string {
  const seconds = media.case === 'image' ? undefined : media.value?.durationSeconds;
  return seconds === undefined ? '' : formatSeconds(seconds);
}

/** `1:02:03`, `2:03`, and `0:04.5` for what is shorter than ten seconds. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `0:0${seconds.toFixed(1)}`;
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

type ToldMoment = NonNullable<ReturnType<typeof mostSuspiciousMoment>>;

/** Where a video or a sound looks most artificial; null for a picture, and if no model could answer. */
export function momentOf({ media }: Classification): ToldMoment | null {
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

/** `0:37, 91 % artificial`. */
export function describeMoment({ seconds, probability }: ToldMoment): string {
  return `${formatSeconds(seconds)}, ${(probability * 100).toFixed(0)} % artificial`;
}

/** A verdict that no model contributed to says nothing. */
function describeVerdict(verdict: Verdict | undefined): string[] {
  if (verdict === undefined || verdict.models.length === 0) return ['unknown', ''];
  return [nameOf(Label, verdict.classification), `${(verdict.confidence * 100).toFixed(1)} %`];
}

export function formatCreated(record: Classification): string {
  const seconds = Number(record.createdAt?.seconds ?? 0n);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

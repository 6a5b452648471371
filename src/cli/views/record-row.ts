import type { RecordSummary } from '../../domain/answers/record-summary.ts';
import type { outcomeOf } from '../../domain/records/outcome.ts';
import { toReadingCells } from '../../domain/sheets/sheet-columns.ts';
import { fromTimestamp } from '../../domain/time.ts';
import { AssessmentState, ReasonSide } from '../../grpc/gen/assay/v1/assessment_pb.ts';
import {
  type Classification,
  Outcome as ProtoOutcome,
  Status,
} from '../../grpc/gen/assay/v1/classification_pb.ts';
import { Label, MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';
import {
  ReadingState,
  SignerAnswer,
  TimeAnswer,
  UnchangedAnswer,
  WhoAnswer,
} from '../../grpc/gen/assay/v1/provenance_pb.ts';
import { wordOf } from './enum-word.ts';

type Word = ReturnType<typeof outcomeOf>;

export function toSummary(record: Classification): RecordSummary {
  const { identifier, name, kind, hash, refId, resultUrl, errors, createdAt, assessment } = record;
  const outcome = wordOf(ProtoOutcome, record.outcome) as Word;
  const formal = record.forceClassification || (record.verdict?.classification ?? Label.UNSPECIFIED);
  return {
    identifier,
    name,
    sha256: hash,
    refId,
    outcome,
    link: resultUrl,
    error: errors,
    kind: wordOf(MediaKind, kind) as RecordSummary['kind'],
    verdict: record.status === Status.DONE ? wordOf(Label, formal) : outcome,
    assessment: wordOf(AssessmentState, assessment?.state) as RecordSummary['assessment'],
    probability: assessment?.probability ?? null,
    reasons: (assessment?.reasons ?? []).flatMap(({ side, sentence }) =>
      side === ReasonSide.NONE ? [] : sentence,
    ),
    createdAt: createdAt === undefined ? 0 : fromTimestamp(createdAt),
    readings: readingsOf(record),
  };
}

function readingsOf({ provenance }: Classification): RecordSummary['readings'] {
  const readings = provenance?.readings;
  if (readings === undefined) return toReadingCells(null);
  const { state, unchanged, signedBy, inTime, who } = readings;
  return toReadingCells({
    state: wordOf(ReadingState, state),
    unchanged: wordOf(UnchangedAnswer, unchanged),
    signedBy: { answer: wordOf(SignerAnswer, signedBy?.answer), name: signedBy?.name ?? '' },
    inTime: { answer: wordOf(TimeAnswer, inTime?.answer) },
    who: { answer: wordOf(WhoAnswer, who?.answer) },
  });
}

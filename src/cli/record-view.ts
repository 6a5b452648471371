/** A record as the command line shows it: one row for a person, one JSON line for a machine. */
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import Table from 'cli-table3';
import { AssessmentState } from '../grpc/gen/assay/v1/assessment_pb.ts';
import { type Classification, ClassificationSchema, Status } from '../grpc/gen/assay/v1/classification_pb.ts';
import { Label } from '../grpc/gen/assay/v1/media_pb.ts';

/** The record in its documented names (snake_case), every field present: protobuf's JSON. */
export function toRecordJson(record: Classification): JsonObject {
  const json = toJson(ClassificationSchema, record, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return json as JsonObject;
}

export interface RecordCells {
  verdict: string;
  confidence: string;
  assessment: string;
  /** What the verdict rests on: models, `c2pa`, or `override` where a person decided. */
  decidedBy: string;
}

export function describeRecord(record: Classification): RecordCells {
  const { verdict } = record;
  if (record.status !== Status.DONE) {
    const word = record.status === Status.ERRORED ? `errored: ${record.errors}` : 'new';
    return { verdict: word, confidence: '', assessment: '', decidedBy: '' };
  }
  const assessment = nameOf(AssessmentState, record.assessment?.state);
  if (record.forceClassification !== Label.UNSPECIFIED) {
    return {
      verdict: nameOf(Label, record.forceClassification),
      confidence: '',
      assessment,
      decidedBy: 'override',
    };
  }
  return {
    verdict: nameOf(Label, verdict?.classification),
    confidence: verdict === undefined ? '' : `${(verdict.confidence * 100).toFixed(1)} %`,
    assessment,
    decidedBy: verdict === undefined || verdict.models.length === 0 ? 'nothing' : verdict.models.join(', '),
  };
}

/** The name of an enum's value in lower case: `inconclusive`. */
export function nameOf(values: Readonly<Record<string, number>>, value: number | undefined): string {
  const name = Object.keys(values).find((key) => values[key] === value) ?? '';
  return name === 'UNSPECIFIED' ? '' : name.toLowerCase().replaceAll('_', ' ');
}

/** Control characters of a foreign name or message must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) table.push(row.map(printable));
  return table.toString();
}

/** Columns without borders, for lists that are cut up by other programs. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  return rows
    .map((row) =>
      row
        .map((cell, i) => printable(cell).padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatCreated(record: Classification): string {
  const seconds = Number(record.createdAt?.seconds ?? 0n);
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

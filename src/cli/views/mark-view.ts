/** Marks and statements of the file about its making, as the command line shows them. */
import { type JsonValue, toJson } from '@bufbuild/protobuf';
import type { Mark } from '../../domain/verdicts/marks.ts';
import {
  FactKind,
  type FileFacts,
  FileFactsSchema,
  type Mark as MarkMessage,
  MarkSchema,
} from '../../grpc/gen/assay/v1/marks_pb.ts';
import { fromMessage } from '../../grpc/messages.ts';
import { nameOf } from './enum-word.ts';

const MARK_NAMES: Readonly<Record<Mark['kind'], string>> = {
  c2pa: 'C2PA manifest',
  source_type: 'IPTC source type',
  generator_parameters: 'generator’s settings',
  generator_name: 'generator’s name',
  open_watermark: 'open watermark',
  closed_watermark: 'closed watermarks',
};

const STATE_NAMES: Readonly<Record<Mark['state'], string>> = {
  found: 'found',
  absent: 'absent',
  broken: 'broken',
  not_checkable: 'not checkable here',
};

/** The values of the messages; a word of a newer daemon stays a number. */
export function fromMarks(messages: readonly MarkMessage[]): Mark[] {
  return messages.map((message) => {
    const mark = fromMessage(MarkSchema, message, (value) => value) as unknown as Mark;
    return { ...mark, origin: mark.origin ?? null };
  });
}

export function describeMarks(marks: readonly Mark[]): string[][] {
  return marks.map(({ kind, state, strength, field, value }) => [
    MARK_NAMES[kind] ?? String(kind),
    strength === 'none' ? STATE_NAMES[state] : `${STATE_NAMES[state]}, ${strength}`,
    [field, value].filter((part) => part !== '').join(': '),
  ]);
}

/** Contradictions come last. */
export function describeFacts(fileFacts: FileFacts | undefined): string[][] {
  const { facts = [], contradictions = [] } = fileFacts ?? {};
  return [
    ...facts.map(({ kind, field, value, isSigned }) => [
      nameOf(FactKind, kind).replaceAll('_', ' '),
      value,
      isSigned ? `signed: ${field}` : field,
    ]),
    ...contradictions.map(({ en }) => ['contradiction', en]),
  ];
}

/** Null if they were not read. */
export function toFactsJson(fileFacts: FileFacts | undefined): JsonValue {
  const options = { useProtoFieldName: true, alwaysEmitImplicit: true };
  return fileFacts === undefined ? null : toJson(FileFactsSchema, fileFacts, options);
}

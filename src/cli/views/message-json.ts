/** A message as a machine reads it: one line of protobuf's JSON in the documented snake_case, every field present. */
import { type DescMessage, type MessageShape, toJson } from '@bufbuild/protobuf';
import { printLine, type Terminal } from '../terminal.ts';

export function toJsonLine<S extends DescMessage>(schema: S, message: MessageShape<S>): string {
  return JSON.stringify(toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }));
}

/** What was done, for a machine or for a person. */
export function printDone(
  terminal: Terminal,
  { json }: { json?: true },
  done: Readonly<Record<string, unknown>>,
  sentence: string,
): void {
  printLine(terminal, json === true ? JSON.stringify(done) : sentence);
}

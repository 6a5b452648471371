/** A message as a machine reads it: one line of protobuf's JSON in the documented snake_case, every field present. */
import { type DescMessage, type MessageShape, toJson } from '@bufbuild/protobuf';

export function toJsonLine<S extends DescMessage>(schema: S, message: MessageShape<S>): string {
  return JSON.stringify(toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }));
}

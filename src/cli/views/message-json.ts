/** A message as a machine reads it: one line of protobuf's JSON in the documented snake_case, every field present. */
import { type DescMessage, type JsonObject, type MessageShape, toJson } from '@bufbuild/protobuf';

export function toJsonObject<S extends DescMessage>(schema: S, message: MessageShape<S>): JsonObject {
  return toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }) as JsonObject;
}

export function toJsonLine<S extends DescMessage>(schema: S, message: MessageShape<S>): string {
  return JSON.stringify(toJsonObject(schema, message));
}

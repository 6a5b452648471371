/** What a mutation answers: its value under its own name, or the caller's mistakes. */
import type { ImplementableObjectRef, ObjectRef } from '@pothos/core';
import { builder } from '../builder.ts';
import type { Payload } from './calls.ts';
import { userErrorType } from './user-errors.ts';

type SchemaTypes = (typeof builder)['$inferSchemaTypes'];

/** `<name>Payload` with the value in the field `field`. */
export function definePayload<T extends object>(
  name: string,
  field: string,
  valueType: ObjectRef<SchemaTypes, T>,
): ImplementableObjectRef<SchemaTypes, Payload<T>> {
  const payloadType = builder.objectRef<Payload<T>>(`${name}Payload`);
  payloadType.implement({
    fields: (t) => ({
      [field]: t.field({
        type: valueType as ObjectRef<SchemaTypes, object>,
        nullable: true,
        resolve: ({ value }): object | null => value,
      }),
      userErrors: t.expose('userErrors', { type: [userErrorType] }),
    }),
  });
  return payloadType;
}

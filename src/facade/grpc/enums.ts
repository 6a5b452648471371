import type { DescEnum } from '@bufbuild/protobuf';
import { badField } from '../../domain/errors.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { MediaKindSchema } from '../../grpc/gen/assay/v1/media_pb.ts';
import { fromEnumValue, type Unlisted } from '../../grpc/messages.ts';

/** Enums are open on the wire, so an unknown number is the caller's fault. */
export const refuseUnlisted: Unlisted = (value, field) => {
  throw badField(field, `expected a listed value, found ${value}`);
};

/** An unknown value stays as it came: the app refuses it together with other faults. */
export const passUnlisted: Unlisted = (value) => value;

/** Undefined if it is unspecified. */
export function fromEnum<Word extends string>(
  schema: DescEnum,
  value: number,
  field: string,
): Word | undefined {
  return fromEnumValue(schema, value, field, refuseUnlisted) as Word | undefined;
}

export function fromKind(kind: number, field: string): MediaKind | undefined {
  return fromEnum(MediaKindSchema, kind, field);
}

export function requireKind(kind: number, field: string): MediaKind {
  const known = fromKind(kind, field);
  if (known === undefined) throw badField(field, 'expected a media kind, found none');
  return known;
}

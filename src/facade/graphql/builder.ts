/** The schema builder with the scalars and enums that all types share. */
import SchemaBuilder from '@pothos/core';
import { GraphQLError } from 'graphql';
import { C2PA_POLICY, HEATMAP_LAYER, ROLE } from '../../domain/contract/words.ts';
import type { Choice } from '../../domain/field.ts';
import { LABEL, MEDIA_KIND } from '../../domain/media/media.ts';
import { PRIORITY, STATUS } from '../../domain/records/classification.ts';
import { OUTCOME } from '../../domain/records/outcome.ts';
import { formatTime, parseTime } from '../../domain/time.ts';
import { TRANSCRIPT_FORMATS } from '../../domain/transcripts/transcript-formats.ts';
import { HEURISTIC } from '../../domain/verdicts/heuristics.ts';
import type { GraphqlContext } from './transport/context.ts';
import { USER_ERROR_CODES } from './transport/errors.ts';

export const builder = new SchemaBuilder<{
  Context: GraphqlContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
    Long: { Input: number; Output: number };
    Upload: { Input: string; Output: never };
  };
}>({ defaultFieldNullability: false });

builder.scalarType('DateTime', {
  description: 'ISO 8601 in UTC with microseconds: 2026-01-31T08:15:00.123456Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  serialize: formatTime,
  parseValue: (value) => {
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    if (time !== undefined) return time;
    throw new GraphQLError('DateTime expects ISO 8601 with a zone: 2026-01-31T08:15:00Z');
  },
});
builder.scalarType('JSON', {
  description: 'Any JSON value, as it is stored.',
  serialize: (value) => value,
  parseValue: refuseInput('JSON'),
});
builder.scalarType('Long', {
  description: 'A whole number up to 2^53: files may be larger than an Int can say.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new GraphQLError('Long expects a whole number up to 2^53');
  },
});
builder.scalarType('Upload', {
  description: 'A file of a multipart request (GraphQL multipart request specification); null in the JSON.',
  serialize: () => {
    throw new GraphQLError('Upload is for input only');
  },
  parseValue: (value) => {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Upload expects a file part of a multipart request');
  },
});

function refuseInput(name: string): () => never {
  return () => {
    throw new GraphQLError(`${name} is for output only`);
  };
}

/** Enum values by the custom of GraphQL: `DONE` for `done`. */
export function upperCaseValues<const T extends string>(values: readonly T[]): Record<string, { value: T }> {
  return Object.fromEntries(values.map((value) => [value.replaceAll('-', '_').toUpperCase(), { value }]));
}

function defineEnum<Word extends string>({ name, words, description }: Choice<Word>) {
  const notes = description === undefined ? {} : { description };
  return builder.enumType(name, { ...notes, values: upperCaseValues(words) });
}

const enums = new Map<string, unknown>();

/** The enum of a set of words; the same one at each call. */
export function enumOf<Word extends string>(choice: Choice<Word>): ReturnType<typeof defineEnum<Word>> {
  const known = enums.get(choice.name) ?? defineEnum(choice);
  enums.set(choice.name, known);
  return known as ReturnType<typeof defineEnum<Word>>;
}

export const mediaKindEnum = enumOf(MEDIA_KIND);
export const statusEnum = enumOf(STATUS);
export const outcomeEnum = enumOf(OUTCOME);
export const labelEnum = enumOf(LABEL);
export const heatmapLayerEnum = enumOf(HEATMAP_LAYER);
export const heuristicEnum = enumOf(HEURISTIC);
export const priorityEnum = enumOf(PRIORITY);
export const roleEnum = enumOf(ROLE);
export const c2paPolicyEnum = enumOf(C2PA_POLICY);
export const transcriptFormatEnum = builder.enumType('TranscriptFormat', {
  values: upperCaseValues(TRANSCRIPT_FORMATS),
});
export const userErrorCodeEnum = builder.enumType('UserErrorCode', {
  values: upperCaseValues(USER_ERROR_CODES),
});

/** Marks the old name of a field that docs/interface.md names otherwise: it stays for one release, so that clients can follow. */
export const renamedTo = (name: string): string => `Renamed to ${name}; goes with the next release.`;

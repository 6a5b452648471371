/** The schema builder with the scalars and enums that all types share. */
import SchemaBuilder from '@pothos/core';
import { GraphQLError } from 'graphql';
import { HEATMAP_LAYERS } from '../../domain/media/heatmap.ts';
import { LABELS, MEDIA_KINDS } from '../../domain/media/media.ts';
import { PRIORITIES, STATUSES } from '../../domain/records/classification.ts';
import { KEY_FRAME_METHODS } from '../../domain/records/options.ts';
import { OUTCOMES } from '../../domain/records/outcome.ts';
import { formatTime, parseTime } from '../../domain/time.ts';
import { ASSESSMENT_STATES } from '../../domain/verdicts/assessment.ts';
import { HEURISTIC_NAMES } from '../../domain/verdicts/heuristics.ts';
import { DECLARED_ORIGINS } from '../../domain/verdicts/provenance.ts';
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

export const mediaKindEnum = builder.enumType('MediaKind', { values: upperCaseValues(MEDIA_KINDS) });
export const statusEnum = builder.enumType('Status', {
  description: 'NEW while the work waits or runs, then DONE or ERRORED.',
  values: upperCaseValues(STATUSES),
});
export const outcomeEnum = builder.enumType('Outcome', {
  description:
    'What a record comes to: a finding of a person first, then a signature that forces the verdict, then what was measured.',
  values: upperCaseValues(OUTCOMES),
});
export const labelEnum = builder.enumType('Label', { values: upperCaseValues(LABELS) });
export const originEnum = builder.enumType('Origin', {
  description: 'ANALYSED: new work; JOINED: shares work of the same account; CACHED: answered at once.',
  values: upperCaseValues(['analysed', 'joined', 'cached']),
});
export const heatmapLayerEnum = builder.enumType('HeatmapLayer', {
  description:
    'Maps of a picture: where it looks artificial, where it looks edited, and how far the latter can be trusted.',
  values: upperCaseValues(HEATMAP_LAYERS),
});
export const heuristicEnum = builder.enumType('Heuristic', { values: upperCaseValues(HEURISTIC_NAMES) });
export const assessmentStateEnum = builder.enumType('AssessmentState', {
  values: upperCaseValues(ASSESSMENT_STATES),
});
export const declaredOriginEnum = builder.enumType('DeclaredOrigin', {
  description: 'The origin that a C2PA manifest declares; a signature is no proof of truth.',
  values: upperCaseValues(DECLARED_ORIGINS),
});
export const keyFrameMethodEnum = builder.enumType('KeyFrameMethod', {
  values: upperCaseValues(KEY_FRAME_METHODS),
});
export const priorityEnum = builder.enumType('Priority', {
  description:
    'BATCH yields to INTERACTIVE, which somebody waits for; where that never ends, it gets one turn in eight.',
  values: upperCaseValues(PRIORITIES),
});
export const userErrorCodeEnum = builder.enumType('UserErrorCode', {
  values: upperCaseValues(USER_ERROR_CODES),
});

/** For a name that interface.md has in another word: the old one stays for one release, so that clients can follow. */
export function renamedTo(name: string): string {
  return `Renamed to ${name}; goes with the next release.`;
}

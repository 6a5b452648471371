/** Relay's connections, forward only: every list is read from its newest or first entry on. */
import type { ImplementableObjectRef, InterfaceRef, ObjectRef } from '@pothos/core';
import { formatCursor, type RecordPage } from '../../../app/records/classifications.ts';
import { badField } from '../../../domain/errors.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../domain/limits.ts';
import type { ClassificationRecord } from '../../../domain/records/record.ts';
import { builder } from '../builder.ts';
import { classificationType } from '../record-types.ts';

type SchemaTypes = (typeof builder)['$inferSchemaTypes'];

export interface Connection<T> {
  edges: { node: T; cursor: string }[];
  hasNextPage: boolean;
  /** Where the next page begins, where that is not behind the last edge. */
  endCursor?: string | null;
}

/** The arguments of every connection. */
export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

export const FIRST_DESCRIPTION = `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} where not given.`;

export function pageLimitOf({ first }: PageArguments): number {
  const limit = first ?? PAGE_SIZE_DEFAULT;
  if (limit >= 1 && limit <= PAGE_SIZE_MAX) return limit;
  throw badField('first', `expected 1 to ${PAGE_SIZE_MAX}, found ${limit}`);
}

const pageInfoType = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    hasPreviousPage: t.boolean({
      description: 'Always false: pages are read forward only.',
      resolve: () => false,
    }),
    startCursor: t.string({ nullable: true, resolve: ({ edges }) => edges.at(0)?.cursor ?? null }),
    endCursor: t.string({
      nullable: true,
      resolve: ({ edges, endCursor }) => endCursor ?? edges.at(-1)?.cursor ?? null,
    }),
  }),
});

/** `<name>Connection` and `<name>Edge` over a type. */
export function defineConnection<T extends object>(
  name: string,
  nodeType: ObjectRef<SchemaTypes, T> | InterfaceRef<SchemaTypes, T>,
): ImplementableObjectRef<SchemaTypes, Connection<T>> {
  const edgeType = builder.objectRef<Connection<T>['edges'][number]>(`${name}Edge`);
  edgeType.implement({
    fields: (t) => ({
      node: t.field({ type: nodeType as ObjectRef<SchemaTypes, object>, resolve: ({ node }) => node }),
      cursor: t.exposeString('cursor'),
    }),
  });
  const connectionType = builder.objectRef<Connection<T>>(`${name}Connection`);
  connectionType.implement({
    fields: (t) => ({
      edges: t.field({ type: [edgeType], resolve: ({ edges }) => edges }),
      nodes: t.field({
        type: [nodeType as ObjectRef<SchemaTypes, object>],
        resolve: ({ edges }): object[] => edges.map(({ node }) => node),
      }),
      pageInfo: t.field({ type: pageInfoType, resolve: (connection) => connection }),
    }),
  });
  return connectionType;
}

export const connectionType = defineConnection<ClassificationRecord>('Classification', classificationType);

export function toRecordConnection({ records, nextCursor }: RecordPage): Connection<ClassificationRecord> {
  return {
    edges: records.map((node) => ({ node, cursor: formatCursor(node) })),
    hasNextPage: nextCursor !== null,
    endCursor: nextCursor,
  };
}

/** Lines that are numbered from 1 on and listed from the newest down: the number is the cursor. */
export function toSequenceConnection<T extends { sequence: number }>(lines: readonly T[]): Connection<T> {
  return {
    edges: lines.map((node) => ({ node, cursor: String(node.sequence) })),
    hasNextPage: (lines.at(-1)?.sequence ?? 1) > 1,
  };
}

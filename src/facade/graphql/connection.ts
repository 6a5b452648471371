/** Relay's connections, forward only: a list begins at its newest or first entry. */
import type { ImplementableObjectRef, InterfaceRef, ObjectRef } from '@pothos/core';
import { formatCursor, type RecordPage } from '../../app/records/classifications.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { RefusedRecord } from '../../domain/answers/refused-record.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../domain/limits.ts';
import { formatTime } from '../../domain/time.ts';
import type { PageNotes } from '../../operations/operation.ts';
import { cursorOf, nextCursorOf, parseLineNumber } from '../../operations/pages.ts';
import { builder } from './builder.ts';
import { classificationType } from './record-types.ts';

type SchemaTypes = (typeof builder)['$inferSchemaTypes'];

export interface Connection<T> {
  /** An error stands for a row that cannot be shown, in connections whose nodes may be null. */
  edges: { node: T | AppError; cursor: string }[];
  hasNextPage: boolean;
  /** Where the next page begins, if that is not behind the last edge. */
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

/** `nullableNodes`: a row that the store cannot give is null, with an error of its own. */
interface ConnectionOptions {
  nullableNodes?: boolean;
}

/** `<name>Connection` and `<name>Edge` over a type. */
export function defineConnection<T extends object>(
  name: string,
  nodeType: ObjectRef<SchemaTypes, T> | InterfaceRef<SchemaTypes, T>,
  { nullableNodes = false }: ConnectionOptions = {},
): ImplementableObjectRef<SchemaTypes, Connection<T>> {
  const type = nodeType as ObjectRef<SchemaTypes, object>;
  const edgeType = builder.objectRef<Connection<T>['edges'][number]>(`${name}Edge`);
  const nullNote = nullableNodes
    ? { description: 'Null, with an error, where the row cannot be shown.' }
    : {};
  edgeType.implement({
    fields: (t) => ({
      node: t.field({ type, nullable: nullableNodes, ...nullNote, resolve: ({ node }) => unlessError(node) }),
      cursor: t.exposeString('cursor'),
    }),
  });
  const connectionType = builder.objectRef<Connection<T>>(`${name}Connection`);
  connectionType.implement({
    fields: (t) => ({
      edges: t.field({ type: [edgeType], resolve: ({ edges }) => edges }),
      nodes: t.field({
        type: [type],
        nullable: { list: false, items: nullableNodes },
        ...nullNote,
        // graphql-js takes an item that is an error as the error of this item; the others are shown.
        resolve: ({ edges }): object[] => edges.map(({ node }) => node),
      }),
      pageInfo: t.field({ type: pageInfoType, resolve: (connection) => connection }),
    }),
  });
  return connectionType;
}

function unlessError<T extends object>(node: T | AppError): T {
  if (node instanceof AppError) throw node;
  return node;
}

export const connectionType = defineConnection<ClassificationRecord>('Classification', classificationType, {
  nullableNodes: true,
});

/** The field of the row that cannot be shown is null, with an error that names the row; the page goes on. */
function toError({ identifier, createdAt, reason }: RefusedRecord): AppError {
  const time = createdAt === null ? {} : { createdAt: formatTime(createdAt) };
  return new AppError('damaged', reason, { metadata: { identifier, ...time } });
}

export function toRecordConnection({ entries, nextCursor }: RecordPage): Connection<ClassificationRecord> {
  return {
    edges: entries.map(({ record, refused }) => {
      const { identifier, createdAt } = record ?? refused;
      const cursor = formatCursor({ identifier, createdAt: createdAt ?? 0 });
      return { node: record ?? toError(refused), cursor };
    }),
    hasNextPage: nextCursor !== null,
    endCursor: nextCursor,
  };
}

/** A page of lines that are listed from the newest down, for the arguments of a connection. */
export function toConnection<Line extends object>(
  read: (lines: { limit: number; before: number | undefined }) => readonly Line[],
  args: PageArguments,
  page: PageNotes,
): Connection<Line> {
  const limit = pageLimitOf(args);
  const lines = read({ limit, before: parseLineNumber({ after: args.after }, 'after') });
  return connectionOf(lines, page, limit);
}

export function connectionOf<Line extends object>(
  lines: readonly Line[],
  page: PageNotes,
  limit: number,
): Connection<Line> {
  return {
    edges: lines.map((node) => ({ node, cursor: cursorOf(node, page) })),
    hasNextPage: nextCursorOf(lines, page, limit) !== undefined,
  };
}

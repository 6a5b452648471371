/** Queries on records, and the mutations on one record. */
import {
  cancelClassification,
  deleteClassification,
  getClassification,
  getClassifications,
  listClassifications,
  type RecordPage,
  retryClassification,
} from '../../app/classifications.ts';
import { badField } from '../../domain/errors.ts';
import { IDENTIFIERS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media.ts';
import type { ClassificationRecord } from '../../domain/record.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall, type Payload, settleCall } from './calls.ts';
import { connectionType } from './connection.ts';
import type { GraphqlContext } from './context.ts';
import { classificationType } from './record-types.ts';
import { userErrorType } from './user-errors.ts';

export const classificationPayloadType = builder
  .objectRef<Payload<ClassificationRecord>>('ClassificationPayload')
  .implement({
    fields: (t) => ({
      classification: t.field({
        type: classificationType,
        nullable: true,
        resolve: (payload) => payload.value,
      }),
      userErrors: t.expose('userErrors', { type: [userErrorType] }),
    }),
  });

const deletePayloadType = builder.objectRef<Payload<string>>('DeleteClassificationPayload').implement({
  fields: (t) => ({
    deletedIdentifier: t.id({ nullable: true, resolve: (payload) => payload.value }),
    userErrors: t.expose('userErrors', { type: [userErrorType] }),
  }),
});

export function addClassificationQueries(): void {
  builder.queryFields((t) => ({
    classification: t.field({
      type: classificationType,
      nullable: true,
      args: { identifier: t.arg.id({ required: true }) },
      resolve: (_, { identifier }, context) =>
        countCall(context, 'classification', () =>
          getClassification(context.app, { principal: context.principal(), identifier }),
        ),
    }),
    classifications: t.field({
      type: connectionType,
      nullable: true,
      description: 'Newest first; with identifiers, exactly those in their order.',
      args: {
        kind: t.arg({ type: mediaKindEnum }),
        first: t.arg.int({ description: `1 to ${PAGE_SIZE_MAX}, ${PAGE_SIZE_DEFAULT} where not given.` }),
        after: t.arg.string(),
        identifiers: t.arg.idList({ description: `At most ${IDENTIFIERS_MAX}.` }),
      },
      resolve: (_, args, context) => countCall(context, 'classifications', () => readPage(context, args)),
    }),
  }));
}

export interface PageArguments {
  kind?: MediaKind | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  identifiers?: readonly string[] | null | undefined;
}

function readPage({ app, principal }: GraphqlContext, args: PageArguments): RecordPage {
  const kind = args.kind === null || args.kind === undefined ? {} : { kind: args.kind };
  if (args.identifiers !== null && args.identifiers !== undefined) {
    const identifiers = [...args.identifiers];
    const records = getClassifications(app, { principal: principal(), identifiers, ...kind });
    return { records, nextCursor: null };
  }
  const limit = args.first ?? PAGE_SIZE_DEFAULT;
  if (limit < 1 || limit > PAGE_SIZE_MAX) {
    throw badField('first', `expected 1 to ${PAGE_SIZE_MAX}, found ${limit}`);
  }
  const cursor = args.after === null || args.after === undefined ? {} : { cursor: args.after };
  return listClassifications(app, { principal: principal(), limit, ...kind, ...cursor });
}

export function addClassificationMutations(): void {
  builder.mutationFields((t) => ({
    cancelClassification: t.field({
      type: classificationPayloadType,
      nullable: true,
      description: 'Ends work that waits or runs; a shared analysis goes on for its other records.',
      args: { identifier: t.arg.id({ required: true }) },
      resolve: (_, { identifier }, context) =>
        settleCall(context, 'cancelClassification', () =>
          changeRecord(context, identifier, cancelClassification),
        ),
    }),
    retryClassification: t.field({
      type: classificationPayloadType,
      nullable: true,
      args: { identifier: t.arg.id({ required: true }) },
      resolve: (_, { identifier }, context) =>
        settleCall(context, 'retryClassification', () =>
          changeRecord(context, identifier, retryClassification),
        ),
    }),
    deleteClassification: t.field({
      type: deletePayloadType,
      nullable: true,
      args: { identifier: t.arg.id({ required: true }) },
      resolve: (_, { identifier }, context) =>
        settleCall(context, 'deleteClassification', async () => {
          const principal = context.principal();
          await deleteClassification(context.app, { principal, identifier, facade: 'graphql' });
          return identifier;
        }),
    }),
  }));
}

function changeRecord(
  { app, principal }: GraphqlContext,
  identifier: string,
  change: typeof cancelClassification,
): Promise<ClassificationRecord> {
  return change(app, { principal: principal(), identifier, facade: 'graphql' });
}

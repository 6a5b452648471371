import {
  getClassifications,
  openClassification,
  searchClassifications,
} from '../../app/records/classifications.ts';
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import { IDENTIFIERS_MAX } from '../../domain/limits.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import { builder, labelEnum, mediaKindEnum, outcomeEnum, statusEnum } from './builder.ts';
import {
  type Connection,
  connectionType,
  FIRST_DESCRIPTION,
  type PageArguments,
  pageLimitOf,
  toRecordConnection,
} from './connection.ts';
import { classificationType } from './record-types.ts';
import { countCall } from './transport/calls.ts';
import type { GraphqlContext } from './transport/context.ts';
import { toRawFields } from './transport/input.ts';

const filterInput = builder.inputType('ClassificationFilter', {
  description: 'Each field narrows further.',
  fields: (t) => ({
    status: t.field({ type: statusEnum }),
    outcome: t.field({ type: outcomeEnum }),
    verdict: t.field({ type: labelEnum, description: 'The class of the formal verdict.' }),
    refId: t.string({ description: 'The whole reference.' }),
    hash: t.string({ description: 'The hash or its beginning; 8 characters or more are found by an index.' }),
    search: t.string({
      description: 'Part of the name or the reference, or the beginning of the hash or the identifier.',
    }),
    text: t.string({ description: 'Part of what is said in it, by its transcript; letters of either case.' }),
    since: t.field({ type: 'DateTime', description: 'Accepted then or later.' }),
    until: t.field({ type: 'DateTime', description: 'Accepted before.' }),
    deskId: t.id({ description: 'Only records of this desk; 0: only those that belong to none.' }),
    waitsForMe: t.boolean({
      description:
        'Records of others whose finding waits for your sign-off, of each file the newest; at most 1,000 files.',
    }),
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
          openClassification(context.app, { principal: context.principal(), identifier }),
        ),
    }),
    classifications: t.field({
      type: connectionType,
      nullable: true,
      description:
        'Newest first; with identifiers, exactly those in their order. With a filter a page may be short or empty ' +
        'while hasNextPage is true: the daemon looks at a bounded number of records for each.',
      args: {
        kind: t.arg({ type: mediaKindEnum }),
        first: t.arg.int({ description: FIRST_DESCRIPTION }),
        after: t.arg.string(),
        identifiers: t.arg.idList({ description: `At most ${IDENTIFIERS_MAX}.` }),
        filter: t.arg({ type: filterInput }),
      },
      resolve: (_, args, context) => countCall(context, 'classifications', () => readPage(context, args)),
    }),
  }));
}

interface RecordArguments extends PageArguments {
  kind?: MediaKind | null | undefined;
  identifiers?: readonly string[] | null | undefined;
  filter?: object | null | undefined;
}

async function readPage(
  { app, principal }: GraphqlContext,
  args: RecordArguments,
): Promise<Connection<ClassificationRecord>> {
  const kind = args.kind === null || args.kind === undefined ? {} : { kind: args.kind };
  if (args.identifiers !== null && args.identifiers !== undefined) {
    const identifiers = [...args.identifiers];
    const entries = getClassifications(app, { principal: principal(), identifiers, ...kind });
    return toRecordConnection({ entries, nextCursor: null });
  }
  const limit = pageLimitOf(args);
  const cursor = args.after === null || args.after === undefined ? {} : { cursor: args.after };
  const filter = toRawFields(args.filter ?? {});
  const query = { principal: principal(), limit, filter, ...kind, ...cursor };
  return toRecordConnection(await searchClassifications(app, query));
}

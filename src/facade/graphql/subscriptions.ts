/**
 * Live records. The first value of `classification` is the present state, so nothing between a query and its
 * subscription is missed; slow readers skip to the newest state (app/watch.ts).
 */
import { getClassification } from '../../app/classifications.ts';
import { watchClassification, watchClassifications } from '../../app/watch.ts';
import type { ClassificationRecord } from '../../domain/record.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { countCall } from './calls.ts';
import { classificationType } from './record-types.ts';
import { openWatch, type Watched } from './watch-stream.ts';

export function addSubscriptions(): void {
  builder.subscriptionFields((t) => ({
    classification: t.field({
      type: classificationType,
      nullable: true,
      description: 'The record now, then after every change, until it ends.',
      args: { identifier: t.arg.id({ required: true }) },
      subscribe: (_, { identifier }, context) =>
        countCall(context, 'watchClassification', () => {
          const principal = context.principal();
          // A wrong identifier is refused before the stream opens.
          getClassification(context.app, { principal, identifier });
          return openWatch(context, (signal) =>
            watchClassification(context.app, { principal, identifier }, signal),
          );
        }),
      resolve: toRecord,
    }),
    classifications: t.field({
      type: classificationType,
      nullable: true,
      description: "Every change of the account's records, without an end.",
      args: { kind: t.arg({ type: mediaKindEnum }) },
      subscribe: (_, { kind }, context) =>
        countCall(context, 'watchClassifications', () => {
          const principal = context.principal();
          const filter = kind === null || kind === undefined ? { principal } : { principal, kind };
          return openWatch(context, (signal) => watchClassifications(context.app, filter, signal));
        }),
      resolve: toRecord,
    }),
  }));
}

/** A fault in the stream is its last value, so that the client reads a reason instead of a broken connection. */
function toRecord(watched: Watched<ClassificationRecord>): ClassificationRecord {
  if ('fault' in watched) throw watched.fault;
  return watched.record;
}

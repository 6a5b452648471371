/** The first value is the present state, so nothing between a query and its subscription is missed; slow readers skip. */

import { watchCredits, watchDeliveries } from '../../app/accounts/watch-account.ts';
import type { App } from '../../app/appliance/app.ts';
import { benchModels } from '../../app/appliance/model-bench.ts';
import type { Principal } from '../../app/callers/principal.ts';
import { getClassification } from '../../app/records/classifications.ts';
import { watchClassification, watchClassifications } from '../../app/records/watch.ts';
import { BENCHED_MODEL } from '../../domain/contract/appliance.ts';
import { creditsType } from './accounts.ts';
import { builder, mediaKindEnum } from './builder.ts';
import { typeOfNoun } from './nouns.ts';
import { classificationType } from './record-types.ts';
import { countCall } from './transport/calls.ts';
import type { GraphqlContext } from './transport/context.ts';
import { openWatch, recordOrThrow, type Watched } from './transport/watch-stream.ts';
import { deliveryType } from './webhooks.ts';

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
      resolve: recordOrThrow,
    }),
    classifications: t.field({
      type: classificationType,
      nullable: true,
      description: "Every change of the account's records, without an end.",
      args: {
        kind: t.arg({ type: mediaKindEnum }),
        waitsForMe: t.arg.boolean({
          description: "Instead those of others' records whose sign-off you may give.",
        }),
      },
      subscribe: (_, { kind, waitsForMe }, context) =>
        countCall(context, 'watchClassifications', () => {
          const principal = context.principal();
          const query = { principal, waitsForMe: waitsForMe === true };
          const filter = kind === null || kind === undefined ? query : { ...query, kind };
          return openWatch(context, (signal) => watchClassifications(context.app, filter, signal));
        }),
      resolve: recordOrThrow,
    }),
    credits: t.field({
      type: creditsType,
      nullable: true,
      description: 'The credits now, then after every change, without an end.',
      subscribe: (_, _args, context) => watchAll(context, 'watchCredits', watchCredits),
      resolve: recordOrThrow,
    }),
    deliveries: t.field({
      type: deliveryType,
      nullable: true,
      description: "Every change of the account's webhook deliveries, without an end.",
      subscribe: (_, _args, context) => watchAll(context, 'watchDeliveries', watchDeliveries),
      resolve: recordOrThrow,
    }),
    modelBench: t.field({
      type: typeOfNoun(BENCHED_MODEL),
      nullable: true,
      description:
        'How fast each model answers, beside the other work, one after the other. Administrators only.',
      subscribe: (_, _args, context) => watchAll(context, 'benchModels', benchModels),
      resolve: recordOrThrow,
    }),
  }));
}

/** Watches all that the caller may see of one kind. */
function watchAll<T>(
  context: GraphqlContext,
  method: string,
  watch: (app: App, input: { principal: Principal }, signal: AbortSignal) => AsyncGenerator<T>,
): Promise<AsyncIterableIterator<Watched<T>>> {
  return countCall(context, method, () => {
    const principal = context.principal();
    return openWatch(context, (signal) => watch(context.app, { principal }, signal));
  });
}

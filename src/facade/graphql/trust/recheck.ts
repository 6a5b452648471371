/** Stored manifests read anew: begun, followed, ended, and what was found to read otherwise. */
import { RECHECKED_RECORD, TRUST_PARTS, TRUST_RECHECK } from '../../../domain/contract/trust.ts';
import type { RecheckedRecord, TrustRecheck } from '../../../domain/provenance/trust-recheck.ts';
import { sequencePageOf } from '../accounts.ts';
import { builder } from '../builder.ts';
import { defineNoun } from '../nouns.ts';
import { countCall, settleCall } from '../transport/calls.ts';
import { defineConnection, FIRST_DESCRIPTION, toSequenceConnection } from '../transport/connection.ts';
import { definePayload } from '../transport/payloads.ts';

for (const part of TRUST_PARTS) defineNoun(part);
const recheckType = defineNoun<TrustRecheck>({
  name: 'TrustRecheck',
  description: 'Manifests of stored files read anew under the trust lists of now.',
  fields: TRUST_RECHECK,
});
const recordType = defineNoun<RecheckedRecord>({
  name: 'RecheckedRecord',
  description: 'A record that reads otherwise, or could not be read anew.',
  fields: RECHECKED_RECORD,
});
const recordConnectionType = defineConnection<RecheckedRecord>('RecheckedRecord', recordType);
const payloadType = definePayload<TrustRecheck>('TrustRecheck', 'recheck', recheckType);

export function addRecheckQueries(): void {
  builder.queryFields((t) => ({
    trustRecheck: t.field({
      type: recheckType,
      nullable: true,
      description: 'The one that runs, or the last one; null where there was none. Administrators only.',
      resolve: (_, _args, context) =>
        countCall(context, 'trustRecheck', () => context.app.trustRechecks.current(context.principal())),
    }),
    recheckedRecords: t.field({
      type: recordConnectionType,
      nullable: true,
      description: 'Of the last one, newest first; at most 10,000 are kept. Administrators only.',
      args: { first: t.arg.int({ description: FIRST_DESCRIPTION }), after: t.arg.string() },
      resolve: (_, args, context) =>
        countCall(context, 'recheckedRecords', () =>
          toSequenceConnection(context.app.trustRechecks.records(context.principal(), sequencePageOf(args))),
        ),
    }),
  }));
}

export function addRecheckMutations(): void {
  builder.mutationFields((t) => ({
    startTrustRecheck: t.field({
      type: payloadType,
      nullable: true,
      description: 'Begins one, or answers the one that runs. Administrators only.',
      resolve: (_, _args, context) =>
        settleCall(context, 'startTrustRecheck', () => context.app.trustRechecks.begin(context.principal())),
    }),
    cancelTrustRecheck: t.field({
      type: payloadType,
      nullable: true,
      description: 'Ends the one that runs; what it did stays. Administrators only.',
      resolve: (_, _args, context) =>
        settleCall(context, 'cancelTrustRecheck', () =>
          context.app.trustRechecks.cancel(context.principal()),
        ),
    }),
  }));
}

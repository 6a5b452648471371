/** Puts the schema together; schema/assay.graphql is its printed form. */
import './appliance.ts';
import './plans.ts';
import type { GraphQLSchema } from 'graphql';
import type { OverrideResult } from '../../domain/answers/record.ts';
import { PROVENANCE_PARTS } from '../../domain/contract/provenance-parts.ts';
import { RECORD_PARTS } from '../../domain/contract/record-parts.ts';
import { TRUST_PARTS } from '../../domain/contract/trust.ts';
import { ANALYSIS_OPTIONS } from '../../domain/records/analysis-options.ts';
import { addAccountQueries } from './accounts.ts';
import { builder, labelEnum, mediaKindEnum } from './builder.ts';
import { addClassificationQueries } from './classifications.ts';
import { addLooks } from './looks.ts';
import { addModelMutations } from './models.ts';
import { defineNoun, nameType } from './nouns.ts';
import { addOperations } from './operations.ts';
import { addPartnerQueries } from './partners.ts';
import { addSubmissionMutations } from './submissions.ts';
import { addSubscriptions } from './subscriptions.ts';

let schema: GraphQLSchema | undefined;

/** The one schema of the process; the builder's types are made once. */
export function getSchema(): GraphQLSchema {
  schema ??= buildSchema();
  return schema;
}

function buildSchema(): GraphQLSchema {
  builder.queryType({});
  builder.mutationType({});
  builder.subscriptionType({});
  defineRecordParts();
  addOperations();
  addClassificationQueries();
  addAccountQueries();
  addPartnerQueries();
  addSubmissionMutations();
  addLooks();
  addModelMutations();
  addSubscriptions();
  // Sorting takes as long as building; what is printed is sorted there.
  return builder.toSchema({ sortSchema: false });
}

function defineRecordParts(): void {
  for (const part of [...PROVENANCE_PARTS, ...RECORD_PARTS, ...TRUST_PARTS]) defineNoun(part);
  defineNoun({ name: 'AnalysisOptions', fields: ANALYSIS_OPTIONS });
  nameType<OverrideResult>('Override').implement({
    fields: (t) => ({
      classification: t.expose('classification', { type: labelEnum }),
      kind: t.expose('type', { type: mediaKindEnum }),
      hash: t.exposeString('hash'),
    }),
  });
}

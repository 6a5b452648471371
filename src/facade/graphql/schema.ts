/** Puts the schema together; schema/assay.graphql is its printed form. */
import type { GraphQLSchema } from 'graphql';
import { addAccountQueries } from './accounts.ts';
import './appliance.ts';
import './plans.ts';
import { builder } from './builder.ts';
import { addClassificationQueries } from './classifications.ts';
import { addMarkMutations } from './marks.ts';
import { addModelMutations, addModelSubscriptions } from './models.ts';
import { addOperations } from './operations.ts';
import { addPartnerQueries } from './partners.ts';
import { defineRecordParts } from './result-types.ts';
import { addSearchMutations } from './search.ts';
import { addSubmissionMutations } from './submissions.ts';
import { addAccountSubscriptions, addSubscriptions } from './subscriptions.ts';

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
  addMarkMutations();
  addSearchMutations();
  addModelMutations();
  addSubscriptions();
  addAccountSubscriptions();
  addModelSubscriptions();
  // Sorting takes as long as building; what is printed is sorted there.
  return builder.toSchema({ sortSchema: false });
}

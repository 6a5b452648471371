/** Puts the schema together; schema/assay.graphql is its printed form. */
import type { GraphQLSchema } from 'graphql';
import { addAccountQueries } from './accounts.ts';
import { addApplianceQueries } from './appliance.ts';
import { builder } from './builder.ts';
import { addClassificationMutations, addClassificationQueries } from './classifications.ts';
import { addOverrideMutations } from './overrides.ts';
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
  addClassificationQueries();
  addAccountQueries();
  addApplianceQueries();
  addSubmissionMutations();
  addClassificationMutations();
  addOverrideMutations();
  addSubscriptions();
  return builder.toSchema();
}

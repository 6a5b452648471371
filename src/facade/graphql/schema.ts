/** Puts the schema together; schema/assay.graphql is its printed form. */
import type { GraphQLSchema } from 'graphql';
import { addAccountMutations, addAccountQueries } from './accounts.ts';
import { addAdministrationMutations, addAdministrationQueries } from './administration.ts';
import { addApplianceQueries } from './appliance.ts';
import { addNoticeMutations, addNoticeQueries } from './automation/notices.ts';
import { addWatchFolderMutations, addWatchFolderQueries } from './automation/watch-folders.ts';
import { addBackupMutations, addBackupQueries } from './backups.ts';
import { builder } from './builder.ts';
import { addClassificationMutations, addClassificationQueries } from './classifications.ts';
import { addDoctorQueries } from './doctor.ts';
import { addCustodyMutations, addCustodyQueries } from './evidence/custody.ts';
import { addEvidenceMutations, addEvidenceQueries } from './evidence/packages.ts';
import { addKeyMutations } from './keys.ts';
import { addMarkMutations, addMarkQueries } from './marks/marks.ts';
import { addModelMutations, addModelQueries, addModelSubscriptions } from './models.ts';
import { addOverrideMutations, addOverrideQueries, addSignOffMutations } from './overrides.ts';
import { addPartnerMutations, addPartnerQueries } from './partners.ts';
import { addPlanMutations, addPlanQueries } from './plans.ts';
import { addProcessQueries, addWorkerMutations } from './processes.ts';
import { defineRecordParts } from './result-types.ts';
import { addSubmissionMutations } from './submissions.ts';
import { addAccountSubscriptions, addSubscriptions } from './subscriptions.ts';
import { addRecheckMutations, addRecheckQueries } from './trust/recheck.ts';
import { addTrustMutations, addTrustQueries } from './trust/trust.ts';
import { addWebhookMutations } from './webhooks.ts';

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
  addClassificationQueries();
  addMarkQueries();
  addTrustQueries();
  addRecheckQueries();
  addAccountQueries();
  addApplianceQueries();
  addModelQueries();
  addBackupQueries();
  addDoctorQueries();
  addProcessQueries();
  addCustodyQueries();
  addOverrideQueries();
  addPartnerQueries();
  addPlanQueries();
  addAdministrationQueries();
  addWatchFolderQueries();
  addNoticeQueries();
  addEvidenceQueries();
  addSubmissionMutations();
  addMarkMutations();
  addTrustMutations();
  addRecheckMutations();
  addClassificationMutations();
  addOverrideMutations();
  addSignOffMutations();
  addAccountMutations();
  addKeyMutations();
  addWebhookMutations();
  addPartnerMutations();
  addPlanMutations();
  addAdministrationMutations();
  addModelMutations();
  addWorkerMutations();
  addBackupMutations();
  addEvidenceMutations();
  addCustodyMutations();
  addWatchFolderMutations();
  addNoticeMutations();
  addSubscriptions();
  addAccountSubscriptions();
  addModelSubscriptions();
  return builder.toSchema();
}

/** Every operation, by its rpc's name; one of GraphQL alone is named like no rpc, or like a stream. */
import { ACCOUNT_OPERATIONS, USER_OPERATIONS } from './accounts.ts';
import { BACKUP_OPERATIONS, MODEL_OPERATIONS, STATUS_OPERATIONS, WORK_OPERATIONS } from './appliance.ts';
import { CUSTODY_OPERATIONS, EVIDENCE_OPERATIONS } from './custody.ts';
import { DESK_OPERATIONS } from './desks.ts';
import { KEY_OPERATIONS } from './keys.ts';
import { NOTICE_OPERATIONS } from './notices.ts';
import { PLAN_OPERATIONS } from './plans.ts';
import { FINDING_OPERATIONS, MARK_OPERATIONS, RECORD_OPERATIONS } from './records.ts';
import { SAVED_FILTER_OPERATIONS } from './saved-filters.ts';
import { SEARCH_OPERATIONS } from './search.ts';
import { RECHECK_OPERATIONS, TRUST_OPERATIONS } from './trust.ts';
import { WATCH_FOLDER_OPERATIONS } from './watch-folders.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...USER_OPERATIONS,
  ...DESK_OPERATIONS,
  ...KEY_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...PLAN_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...FINDING_OPERATIONS,
  ...MARK_OPERATIONS,
  ...SAVED_FILTER_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...CUSTODY_OPERATIONS,
  ...EVIDENCE_OPERATIONS,
  ...NOTICE_OPERATIONS,
  ...WATCH_FOLDER_OPERATIONS,
  ...TRUST_OPERATIONS,
  ...RECHECK_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...WORK_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...BACKUP_OPERATIONS,
};

export type OperationName = keyof typeof OPERATIONS;

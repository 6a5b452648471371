/** The tables whose values are found by more than their key, with all their indexes. */
import { hash as digest } from 'node:crypto';
import type { Key } from 'lmdb';
import type { Account, ApiKey, MailToken, Session } from '../../domain/accounts/account.ts';
import type { WebhookDelivery } from '../../domain/answers/webhook.ts';
import type { WatchedFile } from '../../domain/automation/watch-folder.ts';
import { type DeskMember, holderOf } from '../../domain/desk.ts';
import type { Analysis, Classification } from '../../domain/records/classification.ts';
import type { PackageTimestamps } from '../../domain/records/package-timestamps.ts';
import { type StoredSignOff, stateOfSignOff } from '../../domain/records/sign-off.ts';
import { Collection, lookup } from './collection.ts';
import type { AcceptedRequest } from './schema.ts';

export const watchedFileKey = (folderId: number, path: string): Key[] => [folderId, digest('sha256', path)];

/** Hex digits of a reference's digest: LMDB's keys are bounded. Equal digests are distinguished by their records. */
const DIGEST_CHARACTERS = 32;

export function referenceDigest(refId: string): string {
  return digest('sha256', refId).slice(0, DIGEST_CHARACTERS);
}

/** `records/record-rows.ts` writes the two indexes that also follow from the analysis and the finding. */
export const CLASSIFICATIONS = new Collection<Classification>(
  ({ classifications }) => classifications,
  [
    {
      index: ({ classificationsByAccount }) => classificationsByAccount,
      countedAs: 'classifications by account',
    },
    {
      index: ({ classificationsByKind }) => classificationsByKind,
      keyOf: ({ accountId, kind, createdAt, identifier }) => [accountId, kind, createdAt, identifier],
      countedAs: 'classifications by kind',
    },
    {
      index: ({ classificationsByAnalysis }) => classificationsByAnalysis,
      keyOf: ({ analysisId, identifier }) => [analysisId, identifier],
      countedAs: 'classifications by analysis',
    },
    {
      index: ({ classificationsByAnswer }) => classificationsByAnswer,
      countedAs: 'classifications by answer',
    },
    {
      index: ({ classificationsByReference }) => classificationsByReference,
      keyOf: ({ accountId, refId, createdAt, identifier }) =>
        refId === '' ? null : [accountId, referenceDigest(refId), createdAt, identifier],
    },
    {
      index: ({ classificationsByHash }) => classificationsByHash,
      keyOf: (record) =>
        record.hash === '' ? null : [record.hash, holderOf(record), record.kind, record.identifier],
    },
    { index: ({ classificationsByDesk }) => classificationsByDesk },
  ],
);

/** The transaction decides which analysis a key finds, and that a failed one stays among the failed. */
export const ANALYSES = new Collection<Analysis>(
  ({ analyses }) => analyses,
  [{ index: ({ analysesOpen }) => analysesOpen }, { index: ({ analysesFailed }) => analysesFailed }],
  {
    lookups: [
      lookup(
        ({ analysesByKey }) => analysesByKey,
        (id) => id,
      ),
      lookup(
        ({ parts }) => parts,
        ({ analysisId }) => analysisId,
      ),
    ],
  },
);

/** The transaction keeps the lookup by address: a deleted account's address is free for another. */
export const ACCOUNTS = new Collection<Account>(
  ({ accounts }) => accounts,
  [
    {
      index: ({ accountsByRole }) => accountsByRole,
      keyOf: ({ role, id }) => [role, id],
      countedAs: 'accounts by role',
    },
  ],
  {
    lookups: [
      lookup(
        ({ accountsByEmail }) => accountsByEmail,
        (id) => id,
      ),
    ],
  },
);

/** The key is desk and account. */
export const DESK_MEMBERS = new Collection<DeskMember>(
  ({ deskMembers }) => deskMembers,
  [
    {
      index: ({ desksByAccount }) => desksByAccount,
      keyOf: ({ accountId, deskId }) => [accountId, deskId],
      valueKeyOf: ([accountId = '', deskId = '']) => [deskId, accountId],
      countedAs: 'desks by account',
    },
  ],
);

/** Finds a session or a mailed link without reading it. */
export interface ExpiringKey {
  hash: string;
  accountId: number;
  expiresAt: number;
}

const byAccount = ({ accountId, expiresAt, hash }: ExpiringKey) => [accountId, expiresAt, hash];
const byEnd = ({ accountId, expiresAt, hash }: ExpiringKey) => [expiresAt, accountId, hash];

export const SESSIONS = new Collection<Session, ExpiringKey>(
  ({ sessions }) => sessions,
  [
    {
      index: ({ sessionsByAccount }) => sessionsByAccount,
      keyOf: byAccount,
      countedAs: 'sessions by account',
    },
    { index: ({ sessionsByEnd }) => sessionsByEnd, keyOf: byEnd, countedAs: 'sessions by end' },
  ],
  { endsIfDamaged: true },
);

export const MAIL_TOKENS = new Collection<MailToken, ExpiringKey>(
  ({ mailTokens }) => mailTokens,
  [
    {
      index: ({ mailTokensByAccount }) => mailTokensByAccount,
      keyOf: byAccount,
      countedAs: 'mail tokens by account',
    },
    { index: ({ mailTokensByEnd }) => mailTokensByEnd, keyOf: byEnd, countedAs: 'mail tokens by end' },
  ],
  { endsIfDamaged: true },
);

export const API_KEYS = new Collection<ApiKey>(
  ({ apiKeys }) => apiKeys,
  [
    {
      index: ({ apiKeysByAccount }) => apiKeysByAccount,
      keyOf: ({ accountId, id, hash }) => [accountId, id, hash],
      countedAs: 'API keys by account',
    },
  ],
);

export const DELIVERIES = new Collection<WebhookDelivery>(
  ({ deliveries }) => deliveries,
  [
    {
      index: ({ deliveriesByAccount }) => deliveriesByAccount,
      keyOf: ({ accountId, createdAt, id }) => [accountId, createdAt, id],
      countedAs: 'deliveries by account',
    },
    {
      index: ({ deliveriesDue }) => deliveriesDue,
      keyOf: ({ nextAttemptAt, id }) => (nextAttemptAt === null ? null : [nextAttemptAt, id]),
    },
  ],
);

/** Under account and identifier of the request. */
export const REQUESTS = new Collection<AcceptedRequest, Pick<AcceptedRequest, 'at'>>(
  ({ requests }) => requests,
  [
    {
      index: ({ requestsByTime }) => requestsByTime,
      keyOf: ({ at }, key) => [at, ...[key].flat()],
      valueKeyOf: ([, accountId = '', requestId = '']) => [accountId, requestId],
      countedAs: 'requests by time',
    },
  ],
);

/** Under folder and digest of the path. */
export const WATCHED_FILES = new Collection<WatchedFile>(
  ({ watchedFiles }) => watchedFiles,
  [
    {
      index: ({ watchedFilesByState }) => watchedFilesByState,
      keyOf: ({ folderId, state, at, path }) => [folderId, state, at, digest('sha256', path)],
      valueKeyOf: ([folderId = '', , , path = '']) => [folderId, path],
      countedAs: 'watched files by state',
    },
  ],
);

export const TIMESTAMPS = new Collection<PackageTimestamps>(
  ({ timestamps }) => timestamps,
  [
    {
      index: ({ timestampsDue }) => timestampsDue,
      keyOf: ({ nextAttemptAt, packageSha256 }) =>
        nextAttemptAt === null ? null : [nextAttemptAt, packageSha256],
    },
  ],
);

/** Under the key of the finding in the history. */
export const SIGN_OFFS = new Collection<StoredSignOff>(
  ({ signOffs }) => signOffs,
  [
    {
      index: ({ signOffsOpen }) => signOffsOpen,
      keyOf: (signOff) => {
        const { asks, kind, hash, findingAt } = signOff;
        return stateOfSignOff(signOff) === 'open'
          ? [holderOf(signOff), asks.at(-1) ?? 0, kind, hash, findingAt]
          : null;
      },
      valueKeyOf: ([holder = '', , kind = '', hash = '', findingAt = '']) => [holder, kind, hash, findingAt],
    },
  ],
);

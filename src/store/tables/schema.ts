/** The tables and indexes of the store. A new one is a row here; a changed one is a new format version. */
import type { RootDatabase } from 'lmdb';
import type {
  Account,
  ApiKey,
  Balance,
  LedgerEntry,
  MailToken,
  Session,
} from '../../domain/accounts/account.ts';
import { appliancePlan, type Plan } from '../../domain/accounts/plan.ts';
import type { DisabledReceiver, WebhookDelivery } from '../../domain/answers/webhook.ts';
import type { NoticeRule } from '../../domain/automation/notice-rule.ts';
import type { WatchedFile, WatchFolder } from '../../domain/automation/watch-folder.ts';
import type { AuditEntry } from '../../domain/custody/audit.ts';
import type { Desk, DeskMember } from '../../domain/desk.ts';
import type { OuterManifest } from '../../domain/provenance/outer-manifest.ts';
import type { StoredTrustList } from '../../domain/provenance/trust-list.ts';
import type { RecheckedRecord, StoredRecheck } from '../../domain/provenance/trust-recheck.ts';
import type { Analysis, Classification, Override } from '../../domain/records/classification.ts';
import type { RecordExports } from '../../domain/records/exported-reading.ts';
import type { PackageTimestamps } from '../../domain/records/package-timestamps.ts';
import type { SavedFilter } from '../../domain/records/saved-filter.ts';
import type { Likeness, NearMatches, StoredKeypoints } from '../../domain/records/seen-before.ts';
import type { StoredSignOff } from '../../domain/records/sign-off.ts';
import type { CustodyEpoch, CustodyHead, StoredCheckpoint, StoredDetails } from './stored-custody.ts';
import { Index, Table } from './table.ts';

/** Raised with every change of stored formats; an older store is migrated (migrations.ts), a newer one refused. */
export const FORMAT_VERSION = 7;

/** What a search reads beside a record's key: name, reference, hash; and in the index of answers its class, once indexed. */
export type IndexedTexts = readonly [name: string, refId: string, hash: string, answerClass?: number];

/** An accepted submission, which answers a repeated request identifier. */
export interface AcceptedRequest {
  identifier: string;
  /** Kind, hash and options of the submission; other contents under the same identifier are refused. */
  fingerprint: string;
  at: number;
}

/** The place of a video's frame or track in the result of its analysis. */
export interface PartReference {
  analysisId: string;
  kind: 'image' | 'audio';
  index: number;
}

export interface StoreMeta {
  formatVersion: number;
  createdAt: number;
  /** The indexes are being made anew, and incomplete until that is done. */
  isRebuilding?: boolean;
  /** The version of the answer classes in the index of answers, and the last record that has one; null once all have. */
  answers?: { version: string; after: string | null };
  /** The rules by which the words of transcripts are indexed, and the last indexed analysis; null once all are. */
  words?: { version: number; after: string | null };
  /** The version of descriptions that every earlier picture has (app/appliance/earlier-pictures.ts); absent: not all. */
  picturesDescribed?: number;
  /** By index: damaged values that it lacked when it was last made anew. */
  missingEntries?: Readonly<Record<string, number>>;
}

/** Stored twice, since no start knows the format without it. If one copy is damaged, the other is read. */
export const META_KEYS = ['store', 'store-copy'] as const;

/** Undefined in a new store. Throws if both copies are damaged. */
export function readMeta({ meta }: Tables): StoreMeta | undefined {
  const [first, copy] = META_KEYS;
  return meta.getUnlessDamaged(first) ?? meta.getUnlessDamaged(copy) ?? meta.get(first);
}

export type Tables = ReturnType<typeof openTables>;

/** Accounts, plans, keys and findings: some hundred bytes each, read with every call. */
const SMALL_CACHE_BYTES_MAX = 1024 ** 2;
/** The hundreds of records and analyses that clients poll and watch; decoded they take about five times this. */
const RECORD_CACHE_BYTES_MAX = 4 * 1024 ** 2;

export function openTables(root: RootDatabase) {
  return {
    meta: new Table<StoreMeta>(root, 'meta'),
    // A field that a plan was stored without reads as the first plan's.
    plans: new Table<Plan>(root, 'plans', SMALL_CACHE_BYTES_MAX, { initial: appliancePlan(0) }),
    accounts: new Table<Account>(root, 'accounts', SMALL_CACHE_BYTES_MAX),
    accountsByEmail: new Table<number>(root, 'accounts-by-email'),
    accountsByRole: new Index(root, 'accounts-by-role'),
    desks: new Table<Desk>(root, 'desks', SMALL_CACHE_BYTES_MAX),
    /** By desk and account. */
    deskMembers: new Table<DeskMember>(root, 'desk-members', SMALL_CACHE_BYTES_MAX),
    desksByAccount: new Index(root, 'desks-by-account'),
    apiKeys: new Table<ApiKey>(root, 'api-keys', SMALL_CACHE_BYTES_MAX),
    apiKeysByAccount: new Index(root, 'api-keys-by-account'),
    sessions: new Table<Session>(root, 'sessions'),
    sessionsByAccount: new Index(root, 'sessions-by-account'),
    sessionsByEnd: new Index(root, 'sessions-by-end'),
    mailTokens: new Table<MailToken>(root, 'mail-tokens'),
    mailTokensByAccount: new Index(root, 'mail-tokens-by-account'),
    mailTokensByEnd: new Index(root, 'mail-tokens-by-end'),
    /** Audit lines of a format before the custody log, until they are taken over. */
    audit: new Table<AuditEntry>(root, 'audit'),
    /** The custody log: the chained lines by sequence, and their details beside them. */
    custodyEntries: new Table<string>(root, 'custody'),
    custodyDetails: new Table<StoredDetails>(root, 'custody-details'),
    /** Hashes of complete subtrees, by level and index. */
    custodyNodes: new Table<Uint8Array>(root, 'custody-nodes'),
    custodyHead: new Table<CustodyHead | CustodyEpoch>(root, 'custody-head', SMALL_CACHE_BYTES_MAX),
    /** By the size of the log that they sign. */
    custodyCheckpoints: new Table<StoredCheckpoint>(root, 'custody-checkpoints'),
    custodyBySubject: new Index(root, 'custody-by-subject'),
    // A delivery from before there were notices is a webhook.
    deliveries: new Table<WebhookDelivery>(root, 'deliveries', 0, { initial: { noticeId: null } }),
    deliveriesByAccount: new Index(root, 'deliveries-by-account'),
    deliveriesDue: new Index(root, 'deliveries-due'),
    disabledReceivers: new Table<DisabledReceiver>(root, 'disabled-receivers'),
    /** Identifiers of a video's frames and track, which are no records of their own. */
    parts: new Table<PartReference>(root, 'parts'),
    ledger: new Table<LedgerEntry>(root, 'ledger'),
    balances: new Table<Balance>(root, 'balances'),
    classifications: new Table<Classification>(root, 'classifications', RECORD_CACHE_BYTES_MAX),
    classificationsByAccount: new Index(root, 'classifications-by-account'),
    classificationsByKind: new Index(root, 'classifications-by-kind'),
    /** By account, answer class, time. */
    classificationsByAnswer: new Index(root, 'classifications-by-answer'),
    /** By account, digest of the reference, time; those without a reference are not in it. */
    classificationsByReference: new Index(root, 'classifications-by-reference'),
    /** By hash, holder, kind. */
    classificationsByHash: new Index(root, 'classifications-by-hash'),
    /** By desk, time; with the same values as the index by account. */
    classificationsByDesk: new Index(root, 'classifications-by-desk'),
    classificationsByAnalysis: new Index(root, 'classifications-by-analysis'),
    analyses: new Table<Analysis>(root, 'analyses', RECORD_CACHE_BYTES_MAX),
    analysesByKey: new Table<string>(root, 'analyses-by-key'),
    analysesOpen: new Index(root, 'analyses-open'),
    analysesFailed: new Index(root, 'analyses-failed'),
    /** By holder, word, analysis: the words of its transcript. */
    saidWords: new Index(root, 'said-words'),
    /** By holder, three letters, word: the words above that have the letters. */
    saidPieces: new Index(root, 'said-pieces'),
    /** By analysis: a manifest that does not lie in its file; it goes with the file. */
    outerManifests: new Table<OuterManifest>(root, 'outer-manifests'),
    /** By holder, kind, hash; the history by the time as well. */
    overrides: new Table<Override>(root, 'overrides', SMALL_CACHE_BYTES_MAX, { keepsAbsence: true }),
    overrideHistory: new Table<Override>(root, 'override-history'),
    /** By finding, under the keys of the history. */
    signOffs: new Table<StoredSignOff>(root, 'sign-offs'),
    /** Sign-offs that wait for an answer, by the holder of the file. */
    signOffsOpen: new Index(root, 'sign-offs-open'),
    /** By record: what went out in packages. */
    exports: new Table<RecordExports>(root, 'exports', SMALL_CACHE_BYTES_MAX, { keepsAbsence: true }),
    /** By package: its timestamp authorities and their tokens. */
    timestamps: new Table<PackageTimestamps>(root, 'timestamps', SMALL_CACHE_BYTES_MAX),
    /** Packages whose authorities are still asked, by time. */
    timestampsDue: new Index(root, 'timestamps-due'),
    requests: new Table<AcceptedRequest>(root, 'requests'),
    /** Pictures and frames by which copies are found, in the order in which they came. */
    likenesses: new Table<Likeness>(root, 'likenesses'),
    /** By the number of a likeness: its keypoints. Pictures from before there were keypoints lack them. */
    keypoints: new Table<StoredKeypoints>(root, 'keypoints'),
    /** By analysis: its likenesses, and the earlier ones that they were near to. */
    nearMatches: new Table<NearMatches>(root, 'sightings', 0, { initial: { later: [] } }),
    requestsByTime: new Index(root, 'requests-by-time'),
    /** By account, in the order in which they were saved. */
    savedFilters: new Table<readonly SavedFilter[]>(root, 'saved-filters'),
    noticeRules: new Table<NoticeRule>(root, 'notice-rules'),
    /** Records that ended and that no notice rule was compared with yet, by time. */
    pendingNotices: new Index(root, 'unnoticed'),
    watchFolders: new Table<WatchFolder>(root, 'watch-folders'),
    watchedFiles: new Table<WatchedFile>(root, 'watched-files'),
    watchedFilesByState: new Index(root, 'watched-files-by-state'),
    /** By name: workers on other boxes that are to take no work, and since when. */
    drainedWorkers: new Table<{ at: number }>(root, 'drained-workers'),
    /** By identifier: what administrators made of trust lists. */
    trustLists: new Table<StoredTrustList>(root, 'trust-lists'),
    /** Under one key: the recheck that runs, or the last one. */
    trustRecheck: new Table<StoredRecheck>(root, 'trust-recheck'),
    /** By sequence: records that the recheck found to read otherwise. */
    recheckedRecords: new Table<RecheckedRecord>(root, 'rechecked-records'),
  };
}

/** How many tables a process may open; one too many fails every start. Half are free for later versions' tables. */
export const TABLES_MAX = 128;

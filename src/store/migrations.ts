/** Migrates the store, forward only. A broken-off step is repeated and fills in what is missing; the number comes last. */
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Key } from 'lmdb';
import type { Account, ApiKey } from '../domain/accounts/account.ts';
import type { Plan } from '../domain/accounts/plan.ts';
import type { Override } from '../domain/records/classification.ts';
import { PLAN_OPTIONS } from '../domain/records/plan-option.ts';
import { openRecordsCopy } from './records-copy.ts';
import { flushFolder, renameDurably } from './space/folder.ts';
import { FORMAT_VERSION, type Tables } from './tables/schema.ts';
import type { Table } from './tables/table.ts';
import type { StoreTransaction } from './transaction.ts';

export interface MigrationContext {
  tables: Tables;
  transact<T>(change: (tx: StoreTransaction) => T): Promise<T>;
  /** Writes to the log what is being done, and how far it is. */
  report(message: string): void;
}

/** A value of an older format: some fields are not there yet. */
type Older<T> = Partial<T>;

interface Migration {
  to: number;
  what: string;
  run(context: MigrationContext): Promise<void>;
}

/** Values changed in one transaction: the event loop waits for it. */
const BATCH = 500;
const APPLIANCE_PLAN_ID = 1;

export const MIGRATIONS: readonly Migration[] = [
  { to: 2, what: 'keys with ids, plans with retention, overrides with their history', run: toFormat2 },
  { to: 3, what: 'a custody log, which takes the audit lines over', run: toFormat3 },
  { to: 4, what: 'names in the index of an account, for searches', run: toFormat4 },
  { to: 5, what: 'who had access to an account, in the index of the custody log', run: toFormat5 },
  { to: 6, what: 'records by answer and by reference, made beside the work that follows', run: noChange },
  { to: 7, what: 'desks', run: noChange },
];

async function toFormat2(context: MigrationContext): Promise<void> {
  const { plans, apiKeys, accounts, overrides, overrideHistory, analyses, analysesFailed } = context.tables;
  await eachValue(context, plans, (tx, old: Older<Plan> & Pick<Plan, 'id' | 'options'>) => {
    const added: Pick<Plan, 'optionCredits' | 'mediaDays' | 'recordDays' | 'zeroRetention'> = {
      optionCredits: {},
      mediaDays: 0,
      recordDays: 0,
      zeroRetention: false,
    };
    // The embedded plan enables everything, so also what is new.
    const options = old.id === APPLIANCE_PLAN_ID ? [...PLAN_OPTIONS] : old.options;
    tx.accounts.putPlan({ ...added, ...(old as Plan), options });
  });
  await eachValue(context, accounts, (tx, old: Older<Account>) => {
    const added: Pick<Account, 'webhookSecret' | 'lastKeyId'> = { webhookSecret: null, lastKeyId: 0 };
    tx.accounts.put({ ...added, ...(old as Account) });
  });
  await eachValue(context, apiKeys, (tx, old: Older<ApiKey> & Pick<ApiKey, 'accountId'>) => {
    const account = tx.accounts.get(old.accountId);
    const id = old.id ?? (account?.lastKeyId ?? 0) + 1;
    tx.accounts.putApiKey({ ...(old as ApiKey), id });
    if (account !== undefined && account.lastKeyId < id) tx.accounts.put({ ...account, lastKeyId: id });
  });
  await eachValue(context, overrides, (_tx, old: Older<Override> & Pick<Override, 'accountId'>) => {
    const added = { byAccountId: old.accountId, measured: null };
    const override: Override = { ...added, ...(old as Override) };
    const { accountId, kind, hash, at } = override;
    // Written past the transaction's own method, which would record a person's statement.
    overrides.put([accountId, kind, hash], override);
    overrideHistory.put([accountId, kind, hash, at], override);
  });
  // Only the index: putAnalysis would also make an old analysis the newest of its key.
  await eachValue(context, analyses, (_tx, { id, state, endedAt }) => {
    if (state === 'errored' && endedAt !== null) analysesFailed.put([endedAt, id]);
  });
}

/** Each line leaves its old place in the transaction that gives it its new one, so none is taken over twice. */
async function toFormat3({ tables: { audit }, transact, report }: MigrationContext): Promise<void> {
  await transact((tx) => tx.openCustody('an older data folder was upgraded'));
  let done = 0;
  for (;;) {
    const batch = audit.after(undefined, BATCH);
    if (batch.length === 0) return;
    await transact((tx) => {
      for (const { value } of batch) tx.takeOverAudit(value);
    });
    done += batch.length;
    report(`${audit.name}: ${done} lines taken over into the custody log`);
  }
}

/** Writes the same keys with the searched texts beside them; repeated, it writes the same. */
function toFormat4(context: MigrationContext): Promise<void> {
  return eachValue(context, context.tables.classifications, (tx, value) => tx.indexClassification(value));
}

/** Indexes the existing entries; repeated, it writes the same. */
async function toFormat5({ tables: { custodyEntries }, transact, report }: MigrationContext): Promise<void> {
  const last = custodyEntries.lastKey();
  const end = last === undefined ? 0 : Number(last) + 1;
  for (let from = 0; from < end; from += BATCH) {
    const to = Math.min(end, from + BATCH);
    await transact((tx) => tx.log.index(from, to));
    report(`${custodyEntries.name}: ${to}`);
  }
}

/** Changes nothing stored. An older version would not keep the new indexes, and so may not write here. */
async function noChange(): Promise<void> {}

/** In batches, each a transaction of its own. */
async function eachValue<V extends string | number | object, O>(
  { transact, report }: MigrationContext,
  table: Table<V>,
  change: (tx: StoreTransaction, old: V & O) => void,
): Promise<void> {
  let done = 0;
  let after: Key | undefined;
  for (;;) {
    const batch = table.after(after, BATCH);
    if (batch.length === 0) return;
    await transact((tx) => {
      for (const { value } of batch) change(tx, value as V & O);
    });
    after = batch.at(-1)?.key;
    done += batch.length;
    report(`${table.name}: ${done}`);
  }
}

/** Holds the records as they were before an upgrade. */
export const BEFORE_UPGRADE_FOLDER = 'before-upgrade';

/** `copyRecords` writes the copy that a way back needs: the records only, since no step touches media. */
export async function migrate(
  context: MigrationContext,
  from: { formatVersion: number; createdAt: number },
  folder: string,
  copyRecords: (folder: string) => Promise<void>,
): Promise<void> {
  const copy = await copyBefore(folder, from.formatVersion, copyRecords);
  context.report(`the records of format ${from.formatVersion} are kept in ${copy}`);
  for (const { to, what, run } of MIGRATIONS) {
    if (to <= from.formatVersion) continue;
    context.report(`format ${to}: ${what}`);
    await run(context);
    await context.transact((tx) => tx.setMeta({ ...from, formatVersion: to }));
  }
  context.report(`the data folder has format ${FORMAT_VERSION} now`);
}

/** Whether the folder holds a copy that leads back. */
export function holdsRecords(copy: string): Promise<boolean> {
  return access(join(copy, 'records', 'data.mdb')).then(
    () => true,
    () => false,
  );
}

/** Keeps the copy of an earlier try: it shows the store before any step. */
async function copyBefore(
  folder: string,
  format: number,
  copyRecords: (folder: string) => Promise<void>,
): Promise<string> {
  const parent = join(folder, BEFORE_UPGRADE_FOLDER);
  const copy = join(parent, `format-${format}`);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  if (await holdsRecords(copy)) return copy;
  // A killed rollback has taken the records, and left the folder.
  await rm(copy, { recursive: true, force: true });
  const partial = `${copy}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  await copyRecords(join(partial, 'records'));
  {
    await using records = await openRecordsCopy(join(partial, 'records'));
    await records.check(new AbortController().signal);
  }
  await flushFolder(partial);
  await renameDurably(partial, copy);
  return copy;
}

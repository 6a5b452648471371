/**
 * What the custody log costs: the two transactions of a submission (accepted, analysed) with it, against the same values
 * written without it; and how long a whole log takes to verify.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Analysis, Classification } from '../../src/domain/records/classification.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { CommitGroups } from '../../src/store/commit-group.ts';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import { indexAnswer, indexAnswersOfAnalysis } from '../../src/store/records/record-rows.ts';
import { MACHINE_DISK } from '../../src/store/records-disk.ts';
import { Store } from '../../src/store/store.ts';
import { CLASSIFICATIONS } from '../../src/store/tables/collections.ts';
import { openTables, TABLES_MAX, type Tables } from '../../src/store/tables/schema.ts';
import { StoreTransaction } from '../../src/store/transaction.ts';
import { seedRecords } from '../../test/seeded-records.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { inParallel } from '../in-parallel.ts';
import { type Row, RUNS } from '../row.ts';

const SUBMISSIONS = 200;
const RECORDS = 10_000;
/** Looks and downloads, beside the two entries of each record. */
const LOOKS_A_RECORD = 8;
/** How many transactions wait for the disk together if many submit, and one after the other. */
const AT_ONCE = [1, 32];
/** Each run takes some seconds. */
const VERIFICATIONS = 3;
const BATCH = 1000;
const PAGE_BYTES = 8192;

export async function measureCustody(): Promise<Row[]> {
  return [...(await measureTransactions()), await measureVerification()];
}

/** A flush takes as long as the disk likes, so processor time is a row of its own. */
async function measureTransactions(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const atOnce of AT_ONCE) rows.push(...(await measureAtOnce(atOnce)));
  return rows;
}

async function measureAtOnce(atOnce: number): Promise<Row[]> {
  const ours: Timed[] = [];
  const bare: Timed[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(await timeStore(atOnce));
    bare.push(await timeBare(atOnce));
  }
  const figures = (field: keyof Timed) => ({
    runs: ours.map((timed) => timed[field]),
    bareRuns: bare.map((timed) => timed[field]),
  });
  const what = `two transactions each, ${atOnce} at once, with custody`;
  return [
    { name: `submissions written (${what})`, unit: '1/s', better: 'higher', ...figures('perSecond') },
    {
      name: `processor time of one of them, ${atOnce} at once`,
      unit: 'ms',
      better: 'lower',
      ...figures('processorMs'),
    },
  ];
}

interface Timed {
  perSecond: number;
  /** Processor time that one submission costs, on all threads. */
  processorMs: number;
}

/** Runs its work in a later turn, and resolves when it is flushed. */
type Transact = (work: () => void) => Promise<unknown>;

async function timeSubmissions(
  atOnce: number,
  transact: Transact,
  write: (submission: Submission) => [() => void, () => void],
): Promise<Timed> {
  for (const work of write(makeSubmission())) await transact(work);
  const submissions = Array.from({ length: SUBMISSIONS }, makeSubmission);
  const spent = process.cpuUsage();
  const began = performance.now();
  await inParallel(submissions, atOnce, async (submission) => {
    for (const work of write(submission)) await transact(work);
  });
  const perSecond = (SUBMISSIONS * 1000) / (performance.now() - began);
  const { user, system } = process.cpuUsage(spent);
  return { perSecond, processorMs: (user + system) / 1000 / SUBMISSIONS };
}

async function timeStore(atOnce: number): Promise<Timed> {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  let open: StoreTransaction | undefined;
  const tx = (): StoreTransaction => {
    if (open === undefined) throw new Error('no transaction');
    return open;
  };
  const transact: Transact = (work) =>
    store.transact((begun) => {
      open = begun;
      work();
    });
  return await timeSubmissions(atOnce, transact, ({ record, queued, done }) => [
    () => {
      tx().putAnalysis(queued);
      tx().putClassification(record);
    },
    () => tx().putAnalysis(done),
  ]);
}

/** Writes the same rows, indexes and groups without the log. */
async function timeBare(atOnce: number): Promise<Timed> {
  await using folder = await makeTemporaryFolder();
  const root = open({ path: join(folder.path, 'records'), pageSize: PAGE_BYTES, maxDbs: TABLES_MAX });
  const tables = root.transactionSync(() => openTables(root));
  const groups = new CommitGroups({
    ...{ root, disk: MACHINE_DISK, tables: Object.values(tables) },
    transaction: new StoreTransaction(tables, { now: Date.now, inode: 0 }),
    ...{ onCommit() {}, onChange() {} },
  });
  const transact: Transact = (work) => groups.add(work);
  const timed = await timeSubmissions(atOnce, transact, ({ record, queued, done }) => [
    () => putWithoutLog(tables, queued, record),
    () => putWithoutLog(tables, done),
  ]);
  await root.close();
  return timed;
}

function putWithoutLog(tables: Tables, analysis: Analysis, record?: Classification): void {
  const { id, key, queuedAt, endedAt } = analysis;
  tables.analyses.get(id);
  tables.analyses.put(id, analysis);
  if (endedAt === null) tables.analysesOpen.put([queuedAt, id]);
  else tables.analysesOpen.remove([queuedAt, id]);
  tables.analysesByKey.put(key, id);
  indexAnswersOfAnalysis(tables, id);
  if (record === undefined) return;
  CLASSIFICATIONS.put(tables, record.identifier, record, tables.classifications.get(record.identifier));
  indexAnswer(tables, record);
}

interface Submission {
  record: Classification;
  queued: Analysis;
  done: Analysis;
}

function makeSubmission(): Submission {
  const [identifier, hash] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const options = { ...DEFAULT_OPTIONS };
  const common = { kind: 'image', hash, sourceUrl: null, options, accountId: 1 } as const;
  const createdAt = Date.now() * 1000;
  const queued: Analysis = {
    ...{ ...common, id: identifier, key: identifier, models: ['a@1.0.0', 'b@1.0.0'], attempts: 1 },
    ...{ state: 'queued', lease: null, error: '', queuedAt: createdAt, endedAt: null },
    ...{ apiVersion: '1.1.0', result: null },
  };
  const record: Classification = {
    ...{ ...common, identifier, name: 'picture.jpg', refId: '', mime: 'image/jpeg', sizeBytes: 1_000_000 },
    ...{ analysisId: identifier, origin: 'analysed', cancelled: false, credits: 0, webhookUrl: null },
    ...{ requestId: null, createdAt },
  };
  return { record, queued, done: { ...queued, state: 'done', endedAt: createdAt } };
}

async function measureVerification(): Promise<Row> {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await seedRecords(store, RECORDS, (index) => ({ name: `picture ${index}.jpg`, probability: 0.5 }));
  for (let from = 0; from < RECORDS * LOOKS_A_RECORD; from += BATCH) {
    await store.transact((tx) => {
      for (let index = from; index < from + BATCH; index++) {
        const subject = (index % RECORDS).toString(16).padStart(64, '0');
        const details = { facade: 'dashboard', remoteAddress: '192.0.2.7' };
        tx.log.append({ kind: 'looked_at', subject, actor: 1, details });
      }
    });
  }
  const runs: number[] = [];
  for (let run = 0; run < VERIFICATIONS; run++) {
    const began = performance.now();
    const signal = new AbortController().signal;
    const { isWhole, faults } = await verifyCustody(store.read.custody, { publicKeys: null, signal });
    if (!isWhole) throw new Error(`the log is not whole: ${JSON.stringify(faults[0])}`);
    runs.push((performance.now() - began) / 1000);
  }
  const name = `custody verify (${RECORDS} records, ${store.read.custody.size} entries)`;
  return { name, unit: 's', better: 'lower', runs };
}

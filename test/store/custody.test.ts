import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'lmdb';
import type { CustodyReport } from '../../src/domain/contract/custody.ts';
import type { AuditLine } from '../../src/domain/custody/audit.ts';
import { signCheckpoint } from '../../src/domain/custody/checkpoint.ts';
import { holdsCommitment, parseEntry } from '../../src/domain/custody/entry.ts';
import {
  holdsConsistency,
  holdsInclusion,
  leafHashOf,
  proveConsistency,
  proveInclusion,
  readRoot,
} from '../../src/domain/custody/merkle-tree.ts';
import { verifyCustody } from '../../src/store/custody/verify.ts';
import { openRecordsCopy } from '../../src/store/records-copy.ts';
import { Store } from '../../src/store/store.ts';
import { encodeValue } from '../../src/store/tables/codec.ts';
import { openTables, TABLES_MAX, type Tables } from '../../src/store/tables/schema.ts';
import { identifierOf, seedRecords } from '../seeded-records.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const NEVER = new AbortController().signal;
const UNSIGNED = { publicKeys: null, signal: NEVER };
const BY: AuditLine = {
  ...{ at: 1, accountId: 7, facade: 'dashboard', remoteAddress: '192.0.2.7' },
  ...{ action: 'classification.delete', target: identifierOf(1), details: {} },
};

const verify = (store: Store): Promise<CustodyReport> => verifyCustody(store.read.custody, UNSIGNED);

async function fill(folder: string, records = 20): Promise<void> {
  await using store = await Store.open({ folder });
  await seedRecords(store, records, (index) => ({ name: `picture ${index}.png`, probability: 0.5 }));
}

/** The log as a verifier finds it, who repairs nothing. */
async function judge(folder: string): Promise<CustodyReport> {
  await using records = await openRecordsCopy(join(folder, 'records'));
  return await verifyCustody(records.read.custody, UNSIGNED);
}

/** Changes a closed store as somebody with the disk in the hand would. */
async function edit(
  folder: string,
  change: (tables: Tables, raw: ReturnType<typeof open>) => void,
): Promise<void> {
  const root = open({ path: join(folder, 'records'), pageSize: 8192, maxDbs: TABLES_MAX });
  const tables = openTables(root);
  root.transactionSync(() => change(tables, root));
  await root.close();
}

test('a fact is an entry in its own transaction, and a transaction that is undone leaves none', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path, now: () => 5 });
  await seedRecords(store, 1, () => ({ name: 'a.png', probability: 0.5 }));
  const rows = store.read.custody.last({ limit: 10 });
  deepEqual(
    rows.map(({ sequence, kind, subject, actor, at }) => ({ sequence, kind, subject, actor, at })),
    [
      { sequence: 2, kind: 'received', subject: identifierOf(0), actor: 1, at: 5 },
      { sequence: 1, kind: 'analysed', subject: identifierOf(0), actor: null, at: 5 },
      { sequence: 0, kind: 'epoch_opened', subject: store.read.custody.epoch()?.id, actor: null, at: 5 },
    ],
  );
  const [received] = rows;
  equal(received?.details?.what?.name, 'a.png');
  ok(!received.line.includes('a.png'), 'the chained line holds nothing of the record');
  ok(
    holdsCommitment(received.commitment, received.detailsJson ?? '', Buffer.from(received.salt ?? '', 'hex')),
  );
  const undone = store.transact((tx) => {
    tx.log.appendAudit(BY);
    throw new Error('undone');
  });
  await undone.catch(() => {});
  equal(store.read.custody.size, 3);
  const before = store.read.records.get(identifierOf(0));
  await store.transact((tx) => before && tx.putClassification({ ...before, refId: 'changed' }));
  equal(store.read.custody.size, 3, 'only its arrival is an entry');
  equal((await verify(store)).isWhole, true);
});

test('a deletion takes the details with it, and the log says so instead of breaking', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await seedRecords(store, 4, () => ({ name: 'secret.png', hash: 'ab'.repeat(32), probability: 0.5 }));
  const file = { accountId: 1, kind: 'image', hash: 'ab'.repeat(32) } as const;
  await store.transact((tx) => {
    const said = {
      classification: 'human',
      reason: 'secret source',
      at: 2,
      byAccountId: 1,
      measured: null,
    } as const;
    tx.putOverride({ ...file, ...said }, { ...BY, action: 'override.set' });
    tx.log.append({
      kind: 'looked_at',
      subject: identifierOf(1),
      actor: 7,
      details: { remoteAddress: '192.0.2.7' },
    });
  });
  const { custody } = store.read;
  const record = store.read.records.get(identifierOf(1));
  await store.transact((tx) => record && tx.deleteClassification(record, BY));
  const kindsOf = (isThere: boolean): string[] =>
    custody
      .rowsOf([identifierOf(1), `file/1/image/${file.hash}`], { limit: 9 })
      .filter(({ details }) => (details !== null) === isThere)
      .map(({ kind }) => kind);
  deepEqual(kindsOf(true), ['deleted', 'overridden'], 'the finding is of a file that other records have');
  deepEqual(kindsOf(false), ['looked_at', 'received', 'analysed']);
  for (const index of [0, 2, 3]) {
    const other = store.read.records.get(identifierOf(index));
    await store.transact((tx) => other && tx.deleteClassification(other, null));
  }
  deepEqual(kindsOf(true), ['deleted']);
  const report = await verify(store);
  deepEqual([report.isWhole, report.detailsDeleted], [true, 10]);
  const [line] = store.read.audit({ limit: 1, before: custody.size });
  deepEqual([line?.action, line?.accountId, line?.target], ['classification.delete', 7, identifierOf(1)]);
  const bytes = (await store.space()).bytes;
  ok(bytes > 0);
});

test('details that an administrator redacts are gone, but for those that others are judged by', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await seedRecords(store, 2, () => ({ name: 'a.png', probability: 0.5 }));
  const redact = () =>
    store.transact((tx) => tx.log.redact([0, 1, 2, 999], { ...BY, action: 'custody.redact' }));
  deepEqual(await redact(), [1, 2]);
  deepEqual(await redact(), []);
  deepEqual([(await verify(store)).isWhole, store.read.custody.row(1)?.details], [true, null]);
});

/** What is done to a log of 41 entries, the first entry that is bad, and whether the next start opens a segment. */
const TAMPERINGS: {
  name: string;
  change: Parameters<typeof edit>[1];
  sequence: number | null;
  fault: RegExp;
  opensSegment: boolean;
}[] = [
  {
    name: 'an entry is rewritten',
    change: ({ custodyEntries }) => {
      const line = custodyEntries.get(12) ?? '';
      custodyEntries.put(12, line.replace('"actor":1', '"actor":2'));
    },
    ...{ sequence: 12, fault: /./, opensSegment: false },
  },
  {
    name: 'an entry is damaged',
    change: (_tables, root) =>
      void root.openDB('custody', { encoding: 'binary' }).putSync(7, Buffer.from('12345678')),
    ...{ sequence: 7, fault: /missing or damaged/, opensSegment: false },
  },
  {
    name: 'entries are taken out of the middle',
    change: ({ custodyEntries }) => {
      for (const sequence of [9, 10, 11]) custodyEntries.remove(sequence);
    },
    ...{ sequence: 9, fault: /entries 9 to 11 are missing/, opensSegment: false },
  },
  {
    name: 'the end is cut off',
    change: ({ custodyEntries, custodyDetails }) => {
      for (const sequence of [38, 39, 40]) {
        custodyEntries.remove(sequence);
        custodyDetails.remove(sequence);
      }
    },
    ...{ sequence: 38, fault: /entries 38 to 40 are missing/, opensSegment: true },
  },
  {
    name: 'the last entry is rewritten',
    change: ({ custodyEntries }) => {
      const line = custodyEntries.get(40) ?? '';
      custodyEntries.put(40, line.replace('"kind":"received"', '"kind":"looked_at"'));
    },
    ...{ sequence: 40, fault: /./, opensSegment: true },
  },
  {
    name: 'details are rewritten',
    change: ({ custodyDetails }) => {
      const stored = custodyDetails.get(20) as { salt: Uint8Array; details: string };
      custodyDetails.put(20, { ...stored, details: stored.details.replace('picture', 'portrait') });
    },
    ...{ sequence: 20, fault: /not those that it commits to/, opensSegment: false },
  },
  {
    name: 'details are taken away',
    change: ({ custodyDetails }) => custodyDetails.remove(21),
    ...{ sequence: 21, fault: /no entry says that they were deleted/, opensSegment: false },
  },
  {
    name: 'details are said to be deleted by an entry that does not',
    change: ({ custodyDetails }) => custodyDetails.put(22, { deletedAt: 1, by: 30 }),
    ...{ sequence: 22, fault: /entry 30 does not say/, opensSegment: false },
  },
  {
    name: 'a stored hash is another',
    change: ({ custodyNodes }) => custodyNodes.put([3, 1], Buffer.alloc(32)),
    ...{ sequence: 8, fault: /stored tree is another over the entries 8 to 15/, opensSegment: false },
  },
  {
    name: 'the head is damaged',
    change: (_tables, root) =>
      void root.openDB('custody-head', { encoding: 'binary' }).putSync('head', Buffer.from('12345678')),
    ...{ sequence: null, fault: /head is missing or damaged/, opensSegment: true },
  },
  {
    name: 'the head is set back',
    change: ({ custodyHead }) => {
      custodyHead.put('head', { size: 32, last: '00', peaks: [Buffer.alloc(32)] });
    },
    ...{ sequence: 32, fault: /head names 32 entries, 41 were found/, opensSegment: true },
  },
  {
    name: 'the head has no shape',
    change: ({ custodyHead }) => custodyHead.put('head', { size: 41, last: '00', peaks: [] }),
    ...{ sequence: null, fault: /head is missing or damaged/, opensSegment: true },
  },
  {
    name: 'a checkpoint signs a longer log',
    change: ({ custodyCheckpoints }) => custodyCheckpoints.put(50, { note: '', at: 1 }),
    ...{ sequence: null, fault: /a checkpoint signs 50 entries, 41 were found/, opensSegment: false },
  },
  {
    name: 'a checkpoint is no note',
    change: ({ custodyCheckpoints }) => custodyCheckpoints.put(20, { note: 'no note', at: 1 }),
    ...{ sequence: null, fault: /the checkpoint of 20 entries is damaged/, opensSegment: false },
  },
  {
    name: 'a checkpoint signs another tree',
    change: ({ custodyCheckpoints }) => {
      const signer = { rawPublicKey: Buffer.alloc(32), sign: () => Buffer.alloc(64) };
      const note = signCheckpoint({ origin: 'a test', size: 20, root: Buffer.alloc(32) }, signer);
      custodyCheckpoints.put(20, { note, at: 1 });
    },
    ...{ sequence: 19, fault: /the checkpoint of 20 entries signs another log/, opensSegment: false },
  },
  {
    name: 'the head names another tree',
    change: ({ custodyHead }) => {
      const head = custodyHead.get('head');
      ok(head !== undefined && 'peaks' in head);
      custodyHead.put('head', { ...head, peaks: head.peaks.map(() => Buffer.alloc(32)) });
    },
    ...{ sequence: null, fault: /the head names another tree/, opensSegment: true },
  },
];

test('each change in the store is found with the first bad entry, and the log goes on', async (context) => {
  await using folder = await makeTemporaryFolder();
  const whole = join(folder.path, 'whole');
  await fill(whole);
  equal((await judge(whole)).isWhole, true);
  for (const { name, change, sequence, fault, opensSegment } of TAMPERINGS) {
    await context.test(name, async () => {
      const path = join(folder.path, 'changed');
      await rm(path, { recursive: true, force: true });
      await cp(whole, path, { recursive: true });
      await edit(path, change);
      const report = await judge(path);
      equal(report.isWhole, false);
      equal(report.faults[0]?.sequence, sequence, JSON.stringify(report.faults));
      match(report.faults[0]?.fault ?? '', fault);
      await using store = await Store.open({ folder: path });
      const { custody } = store.read;
      const kinds = custody
        .rowsOf(['epoch'], { limit: 5 })
        .concat(custody.last({ limit: 3 }))
        .map(({ kind }) => kind);
      equal(kinds.includes('segment_opened'), opensSegment, `${kinds}`);
      const { size } = custody;
      await store.transact((tx) => tx.log.appendAudit(BY));
      equal(custody.size, size + 1);
      const after = await verify(store);
      const own = after.faults.filter((found) => found.sequence !== null && found.sequence >= size);
      deepEqual(own, [], 'what is written afterwards is sound');
    });
  }
});

test('a copied folder begins an epoch, a moved one does not; each keeps the log before it', async () => {
  await using folder = await makeTemporaryFolder();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  await fill(first, 5);
  await cp(first, second, { recursive: true });
  const epochs: string[][] = [];
  const roots: Buffer[] = [];
  for (const path of [first, second]) {
    await using store = await Store.open({ folder: path });
    await store.transact((tx) => tx.log.appendAudit(BY));
    const report = await verify(store);
    ok(report.isWhole);
    epochs.push(report.epochs.map(({ id }) => id));
    roots.push(readRoot(11, store.read.custody.subtree));
  }
  deepEqual([epochs[0]?.length, epochs[1]?.length], [1, 2]);
  equal(epochs[1]?.[0], epochs[0]?.[0]);
  notEqual(epochs[1]?.[1], epochs[0]?.[0]);
  deepEqual(roots[0], roots[1]);
  await rename(second, `${second}-moved`);
  await using moved = await Store.open({ folder: `${second}-moved` });
  equal((await verify(moved)).epochs.length, 2, 'the same files under another name are the same box');
});

test('proofs of a stored log hold for the root that the head names', async () => {
  await using folder = await makeTemporaryFolder();
  await using store = await Store.open({ folder: folder.path });
  await seedRecords(store, 100, (index) => ({ name: `${index}`, probability: 0.5 }));
  const { custody } = store.read;
  const { size } = custody;
  const root = readRoot(size, custody.subtree);
  equal(root.toString('base64'), (await verify(store)).root);
  for (const index of [0, 1, 63, 64, 128, size - 1]) {
    const leaf = leafHashOf(custody.line(index) ?? '');
    const proof = proveInclusion(index, size, custody.subtree);
    ok(holdsInclusion({ index, size, leaf, root, proof }));
    const fromRoot = readRoot(index, custody.subtree);
    ok(
      holdsConsistency({
        from: index,
        to: size,
        fromRoot,
        toRoot: root,
        proof: proveConsistency(index, size, custody.subtree),
      }),
    );
  }
});

test('the index of a log is rebuilt from its entries', async () => {
  await using folder = await makeTemporaryFolder();
  await fill(folder.path, 5);
  const listed = async (isRebuildAsked: boolean): Promise<string[]> => {
    await using store = await Store.open({ folder: folder.path, isRebuildAsked });
    const subjects = [identifierOf(3), 'epoch', 'audit'];
    return store.read.custody.rowsOf(subjects, { limit: 20 }).map(({ kind }) => kind);
  };
  {
    await using store = await Store.open({ folder: folder.path });
    await store.transact((tx) => tx.log.appendAudit({ ...BY, action: 'account.create' }));
  }
  const before = await listed(false);
  deepEqual(before, ['account.create', 'received', 'analysed', 'epoch_opened']);
  await edit(folder.path, ({ custodyBySubject }) => custodyBySubject.clear());
  deepEqual(await listed(false), []);
  deepEqual(await listed(true), before);
});

test('bytes that are no entry are refused', () => {
  for (const line of ['', '{}', '[]', 'null', '{"sequence":1}', 7, undefined, encodeValue('x').toString()]) {
    equal(parseEntry(line), undefined);
  }
});

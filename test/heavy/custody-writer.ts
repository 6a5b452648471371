/** The other end of custody-kills.ts: writes facts of every kind into a store until it is killed. Arguments: folder, seed. */
import { randomBytes } from 'node:crypto';
import type { AuditLine } from '../../src/domain/custody/audit.ts';
import { DEFAULT_OPTIONS } from '../../src/domain/records/options.ts';
import { Store } from '../../src/store/store.ts';
import { Random } from './random.ts';

const [folder = '', seed = '1'] = process.argv.slice(2);
const random = new Random(Number(seed));
await using store = await Store.open({ folder });
process.stdout.write('open\n');

const LINE: AuditLine = {
  ...{ at: 1, accountId: 1, facade: 'grpc', remoteAddress: '192.0.2.7' },
  ...{ action: 'classification.delete', target: '', details: {} },
};
const common = { kind: 'image', sourceUrl: null, options: { ...DEFAULT_OPTIONS }, accountId: 1 } as const;

async function submit(): Promise<void> {
  const [identifier, hash] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const analysis = {
    ...{ ...common, hash, id: identifier, key: identifier, models: [], attempts: 1, lease: null },
    ...{ error: '', queuedAt: 1, apiVersion: '', result: null },
  };
  await store.transact((tx) => {
    tx.putAnalysis({ ...analysis, state: 'queued', endedAt: null });
    tx.putClassification({
      ...{ ...common, hash, identifier, name: 'a.png', refId: '', mime: 'image/png', sizeBytes: 1 },
      ...{ analysisId: identifier, origin: 'analysed', cancelled: false, credits: 0, webhookUrl: null },
      ...{ requestId: null, createdAt: 1 },
    });
  });
  const state = random.chance(0.5) ? 'errored' : 'done';
  await store.transact((tx) => tx.putAnalysis({ ...analysis, state, endedAt: 2 }));
}

async function change(): Promise<void> {
  const [record] = store.read.records.list({ accountId: 1, limit: 1 });
  if (record === undefined) return;
  const { accountId, kind, hash, identifier } = record;
  await store.transact((tx) => {
    const said = { classification: 'human', reason: 'seen', byAccountId: 1, measured: null } as const;
    if (random.chance(0.5)) {
      tx.putOverride(
        { ...said, accountId, kind, hash, at: tx.custody.size },
        { ...LINE, action: 'override.set' },
      );
    } else {
      tx.deleteClassification(record, { ...LINE, target: identifier });
      const analysis = tx.analyses.get(record.analysisId);
      if (analysis !== undefined) tx.deleteAnalysis(analysis);
    }
  });
}

for (;;) await (random.chance(0.33) ? change() : submit());

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitReason } from '../../../src/domain/records/wait-reason.ts';
import type { AnalysisFiles, Attempt } from '../../../src/engine/analyses/analysis-parts.ts';
import type { Execution, Executor } from '../../../src/engine/executors/executor.ts';
import { Executors } from '../../../src/engine/executors/executors.ts';
import type { StoreReader } from '../../../src/store/reader.ts';

/** Counts what it is given, and keeps it until it is released. */
class CountingExecutor implements Executor {
  given = 0;
  readonly #released = Promise.withResolvers<void>();
  readonly slots: number;
  readonly isElsewhere: boolean;
  readonly #reason: WaitReason | null;

  constructor(slots: number, isElsewhere: boolean, reason: WaitReason | null = null) {
    this.slots = slots;
    this.isElsewhere = isElsewhere;
    this.#reason = reason;
  }

  waitReason(): WaitReason | null {
    return this.#reason;
  }

  release(): void {
    this.#released.resolve();
  }

  async execute(): Promise<Execution> {
    this.given += 1;
    await this.#released.promise;
    throw new Error('released');
  }
}

const ORDINARY = 1;
const ZERO_RETENTION = 2;

/** Two accounts: one whose media may go anywhere, one whose media stay on this box. */
const read = {
  accounts: {
    planOf: (id: number) => ({ zeroRetention: id === ZERO_RETENTION, zeroRetentionOnWorkers: false }),
  },
} as unknown as Pick<StoreReader, 'accounts'>;

const NOTHING = {} as AnalysisFiles;
const ATTEMPT = {} as Attempt;
const ABSENT: WaitReason = { step: 'no-worker', sentence: 'no worker was heard of' };

async function give(executors: Executors, count: number, accountId = ORDINARY): Promise<Promise<unknown>[]> {
  return Array.from({ length: count }, () => executors.execute(accountId, ATTEMPT, NOTHING).catch(() => {}));
}

test('attempts are shared out by the share of slots that is taken', async () => {
  const [workers, here] = [new CountingExecutor(6, true), new CountingExecutor(2, false)];
  const executors = new Executors([workers, here], read);
  assert.equal(executors.slots, 8);
  const running = await give(executors, 8);
  assert.deepEqual([workers.given, here.given], [6, 2]);
  for (const executor of [workers, here]) executor.release();
  await Promise.all(running);
  await give(executors, 1);
  assert.equal(workers.given, 7, 'slots of ended attempts are free again');
});

test('an executor without slots gets nothing while another has some', async () => {
  const [workers, here] = [new CountingExecutor(0, true, ABSENT), new CountingExecutor(1, false)];
  const executors = new Executors([workers, here], read);
  await give(executors, 3);
  assert.deepEqual([workers.given, here.given], [0, 3]);
  assert.equal(executors.waitReason(ORDINARY), null);
});

test('media that must stay on this box never leave it', async () => {
  const [workers, here] = [new CountingExecutor(9, true), new CountingExecutor(1, false)];
  await give(new Executors([workers, here], read), 4, ZERO_RETENTION);
  assert.deepEqual([workers.given, here.given], [0, 4]);

  const elsewhere = new Executors([new CountingExecutor(9, true)], read);
  assert.equal(elsewhere.waitReason(ZERO_RETENTION)?.step, 'kept-here');
  await assert.rejects(elsewhere.execute(ZERO_RETENTION, ATTEMPT, NOTHING), { reason: 'starting' });
});

test('the reason to wait is an executor’s own, if all have one', () => {
  const executors = new Executors([new CountingExecutor(0, true, ABSENT)], read);
  assert.deepEqual(executors.waitReason(), ABSENT);
  assert.deepEqual(executors.waitReason(ORDINARY), ABSENT);
});

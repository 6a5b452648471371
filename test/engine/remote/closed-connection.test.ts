/** A lease that ends while the connection to the broker is closed: no one can be notified of it, and that is no fault of the file. */
import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { pino } from 'pino';
import type { AnalysisFiles, Attempt } from '../../../src/engine/analyses/analysis-parts.ts';
import { ExecutorLostError } from '../../../src/engine/children/worker-errors.ts';
import { LeaseBook } from '../../../src/engine/remote/lease-book.ts';
import { RemoteExecutor, type RemoteExecutorParts } from '../../../src/engine/remote/remote-executor.ts';
import type { Store } from '../../../src/store/store.ts';
import { VirtualClock } from '../../simulator/virtual-clock.ts';

const LEASE_MS = 1000;

async function* untilAborted(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
}

test('a lease that runs out after the connection was closed is forgotten, and its work goes to others', async () => {
  const clock = new VirtualClock(0);
  const closed = new AbortController();
  const connection: Partial<NatsConnection> = {
    subscribe: () => untilAborted(closed.signal) as unknown as ReturnType<NatsConnection['subscribe']>,
    status: () => untilAborted(closed.signal) as unknown as ReturnType<NatsConnection['status']>,
    publish: () => {
      throw new Error('closed connection');
    },
    close: async () => closed.abort(),
  };
  // The test reads no file of the store.
  const book = new LeaseBook(LEASE_MS, {} as Store, clock);
  const parts: Partial<RemoteExecutorParts> = {
    ...{ book, clock, log: pino({ level: 'silent' }), isByTls: false, brokerFault: () => null },
    connect: async () => connection as NatsConnection,
    drained: { isDrainedWorker: () => false, drainedWorkers: () => [] },
    carrier: { invalidate() {}, prepare: async () => {}, publish: async () => {} },
  };
  const config = { leaseMs: LEASE_MS, mediaUrl: () => '', certificatePem: () => null };
  await using executor = new RemoteExecutor(config, parts as RemoteExecutorParts);
  const terms = { analysisTimeoutMs: 60_000 } as never;
  executor.attach({ packs: () => [], findPack: () => undefined, terms: () => terms, changed() {} });
  await nextTurn();
  const analysis = { id: 'a', kind: 'image', hash: '', options: {}, models: [] };
  const attempt = { id: 'a.1.0', analysis, signal: new AbortController().signal } as unknown as Attempt;
  const executing = executor.execute(attempt, {} as AnalysisFiles);
  const refused = rejects(executing, ExecutorLostError);
  equal(typeof book.claim(attempt.id, 'one'), 'object');
  let hasEnded = false;
  void executing
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
    });
  for (let turns = 0; !hasEnded && turns < 1000; turns += 1) {
    await nextTurn();
    clock.step();
  }
  await refused;
  equal(book.claim(attempt.id, 'other'), 'gone');
});

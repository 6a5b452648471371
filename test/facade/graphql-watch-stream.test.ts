import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { GraphqlContext } from '../../src/facade/graphql/transport/context.ts';
import { openWatch } from '../../src/facade/graphql/transport/watch-stream.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Opened {
  context: GraphqlContext;
  standing: AbortController;
  left: AbortController;
  open(): number;
}

function openContext(): Opened {
  const [standing, left] = [new AbortController(), new AbortController()];
  let watchers = 0;
  const app = {
    standings: { follow: () => ({ signal: standing.signal, [Symbol.dispose]: () => {} }) },
    metrics: { watchers: { inc: () => void watchers++, dec: () => void watchers-- } },
  };
  const context = { app, signal: left.signal, principal: () => ({}) } as unknown as GraphqlContext;
  return { context, standing, left, open: () => watchers };
}

async function* changes(count: number): AsyncGenerator<object> {
  for (let change = 0; change < count; change++) yield { change };
}

async function* waits(): AsyncGenerator<object> {
  yield {};
  await new Promise(() => {});
}

test('a watch that goes on keeps none of the records that it has passed on', async () => {
  const { context } = openContext();
  const watch = openWatch(context, () => changes(100));
  const passed: WeakRef<object>[] = [];
  const pass = async () => {
    const step = await watch.next();
    assert.ok(step.done !== true && 'record' in step.value);
    passed.push(new WeakRef(step.value.record));
  };
  for (let change = 0; change < 50; change++) await pass();
  for (let round = 0; round < 3; round++) {
    await turn();
    collectGarbage();
  }
  const kept = passed.slice(0, -1).filter((record) => record.deref() !== undefined);
  assert.equal(kept.length, 0);
  await watch.return?.();
});

test('a watcher that loses its standing reads the reason once, and then the end', async () => {
  const { context, standing, open } = openContext();
  const watch = openWatch(context, waits);
  await watch.next();
  const next = watch.next();
  const fault = new Error('the key was revoked');
  standing.abort(fault);
  assert.deepEqual(await next, { done: false, value: { fault } });
  assert.equal((await watch.next()).done, true);
  assert.equal(open(), 0);
});

test('payloads on their way when the standing is lost are not sent', async () => {
  const { context, standing } = openContext();
  const watch = openWatch(context, () => changes(2));
  await watch.next();
  const fault = new Error('the key was revoked');
  standing.abort(fault);
  assert.deepEqual(await watch.next(), { done: false, value: { fault } });
  assert.equal((await watch.next()).done, true);
});

test('a source that fails says why, once; one that ends only ends', async () => {
  const { context, open } = openContext();
  const fault = new Error('too slow');
  const failing = openWatch(context, async function* () {
    yield {};
    throw fault;
  });
  await failing.next();
  assert.deepEqual(await failing.next(), { done: false, value: { fault } });
  assert.equal((await failing.next()).done, true);
  const ending = openWatch(context, () => changes(0));
  assert.equal((await ending.next()).done, true);
  assert.equal(open(), 0);
});

test('leaving ends the source while it waits', async () => {
  const { context, open } = openContext();
  let signal: AbortSignal | undefined;
  const watch = openWatch(context, (given) => {
    signal = given;
    return waitFor(given);
  });
  const next = watch.next();
  await turn();
  await watch.return?.();
  assert.equal((await next).done, true);
  assert.equal(signal?.aborted, true);
  assert.equal(open(), 0);
});

async function* waitFor(signal: AbortSignal): AsyncGenerator<object> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

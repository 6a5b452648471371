import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { Feed, type WatchFilter } from '../../../src/engine/queue/feed.ts';

type Change = [identifier: string, ...readerIds: number[]];

/** Publishes before anything is read, then reads `expected.length` changes and sees that no more are kept. */
function check(name: string, filter: WatchFilter, changes: Change[], expected: string[]): void {
  test(name, async () => {
    const feed = new Feed();
    const stop = new AbortController();
    const watch = feed.watch(filter, stop.signal);
    for (const [identifier, ...readerIds] of changes) feed.publish(identifier, readerIds);
    const seen: unknown[] = [];
    for (let index = 0; index < expected.length; index++) seen.push((await watch.next()).value);
    const more = watch.next();
    stop.abort();
    deepEqual(seen, expected);
    equal((await more).done, true);
    equal(feed.watchers, 0);
  });
}

check('a watcher of a record receives its change', { identifier: 'a' }, [['a', 1]], ['a']);
check('a watcher of a record receives no change of another', { identifier: 'a' }, [['b', 1]], []);
const mixed: Change[] = [
  ['a', 1],
  ['b', 2],
  ['c', 1],
];
check('a watcher of an account receives the changes of its records', { readerId: 1 }, mixed, ['a', 'c']);
const repeated: Change[] = [
  ['a', 1],
  ['b', 1],
  ['a', 1],
  ['a', 1],
];
check('many changes of a record that wait are sent once', { readerId: 1 }, repeated, ['a', 'b']);
const shared: Change[] = [
  ['a', 1, 2],
  ['b', 1],
];
check('each reader of a record receives its change', { readerId: 2 }, shared, ['a']);

test('a change after the last look is sent again', async () => {
  const feed = new Feed();
  const watch = feed.watch({ identifier: 'a' }, new AbortController().signal);
  const first = watch.next();
  feed.publish('a', [1]);
  equal((await first).value, 'a');
  feed.publish('a', [1]);
  equal((await watch.next()).value, 'a');
  await watch.return(undefined);
  equal(feed.watchers, 0);
});

test('leaving the loop releases the watcher', async () => {
  const feed = new Feed();
  const watch = feed.watch({ readerId: 1 }, new AbortController().signal);
  feed.publish('a', [1]);
  for await (const identifier of watch) {
    equal(identifier, 'a');
    break;
  }
  equal(feed.watchers, 0);
});

test('return ends a read that waits', async () => {
  const feed = new Feed();
  const watch = feed.watch({ readerId: 1 }, new AbortController().signal);
  const read = watch.next();
  await watch.return(undefined);
  equal((await read).done, true);
  equal(feed.watchers, 0);
});

test('an abort releases a watcher that was never read', () => {
  const feed = new Feed();
  const stop = new AbortController();
  feed.watch({ readerId: 1 }, stop.signal);
  equal(feed.watchers, 1);
  stop.abort();
  equal(feed.watchers, 0);
});

test('a signal that has aborted already gives an ended watch', async () => {
  const feed = new Feed();
  const watch = feed.watch({ readerId: 1 }, AbortSignal.abort());
  equal((await watch.next()).done, true);
  equal(feed.watchers, 0);
});

test('a watcher too far behind gets a fault and is released', async () => {
  const feed = new Feed(2);
  const watch = feed.watch({ readerId: 1 }, new AbortController().signal);
  for (const identifier of ['a', 'b', 'c']) feed.publish(identifier, [1]);
  equal(feed.watchers, 0);
  await rejects(watch.next(), { name: 'AppError', reason: 'rate' });
  equal((await watch.next()).done, true);
});

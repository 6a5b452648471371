import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Schedule } from '../../src/engine/schedule.ts';

/** `1a` is work `1a` of account 1. Returns the order in which one slot serves it. */
function check(name: string, work: string[], expected: string[], removed: string[] = []): void {
  test(name, () => {
    const schedule = new Schedule(1);
    for (const id of work) schedule.add(id, Number(id[0]));
    for (const id of removed) schedule.remove(id);
    const order: string[] = [];
    for (let turn = schedule.next(); turn !== undefined; turn = schedule.next()) {
      order.push(turn.id);
      equal(turn.accountId, Number(turn.id[0]));
      schedule.release(turn.id);
    }
    deepEqual(order, expected);
    equal(schedule.depth, 0);
    equal(schedule.running, 0);
  });
}

check('serves one account in order of arrival', ['1a', '1b', '1c'], ['1a', '1b', '1c']);
check('serves accounts by turns', ['1a', '1b', '1c', '2a', '3a', '3b'], ['1a', '2a', '3a', '1b', '3b', '1c']);
check('adds the same work once', ['1a', '1a', '1b'], ['1a', '1b']);
check('leaves out what was removed', ['1a', '1b', '2a'], ['1b', '2a'], ['1a', '9z']);
check('has nothing to serve when empty', [], []);

test('a newcomer does not wait for an account with much work', () => {
  const schedule = new Schedule(1);
  for (let index = 0; index < 1000; index++) schedule.add(`1-${index}`, 1);
  equal(schedule.next()?.id, '1-0');
  schedule.release('1-0');
  schedule.add('2-0', 2);
  equal(schedule.next()?.id, '1-1');
  schedule.release('1-1');
  equal(schedule.next()?.id, '2-0');
});

test('runs no more than its maximum at once', () => {
  const schedule = new Schedule(2);
  for (const id of ['a', 'b', 'c']) schedule.add(id, 1);
  deepEqual([schedule.next()?.id, schedule.next()?.id, schedule.next()], ['a', 'b', undefined]);
  deepEqual([schedule.depth, schedule.running], [1, 2]);
  schedule.release('a');
  equal(schedule.next()?.id, 'c');
});

test('running work is not added again, released work is', () => {
  const schedule = new Schedule(1);
  schedule.add('a', 1);
  schedule.next();
  schedule.add('a', 1);
  deepEqual([schedule.depth, schedule.has('a'), schedule.remove('a')], [0, true, false]);
  schedule.release('a');
  schedule.add('a', 1);
  equal(schedule.next()?.id, 'a');
});

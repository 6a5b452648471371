import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_TURN_EVERY, Schedule } from '../../../src/engine/queue/schedule.ts';

/** `1a` is work `1a` of account 1 that somebody waits for, `1a*` batch work. */
function add(schedule: Schedule, work: string): void {
  const priority = work.endsWith('*') ? 'batch' : 'interactive';
  schedule.add({ id: work, accountId: Number.parseInt(work, 10), priority });
}

/** Returns the order in which one slot serves what waits. */
function serveAll(schedule: Schedule): string[] {
  const order: string[] = [];
  for (let turn = schedule.next(); turn !== undefined; turn = schedule.next()) {
    order.push(turn.id);
    equal(turn.accountId, Number.parseInt(turn.id, 10));
    schedule.release(turn.id);
  }
  return order;
}

function check(name: string, work: string[], expected: string[], removed: string[] = []): void {
  test(name, () => {
    const schedule = new Schedule(1);
    for (const id of work) add(schedule, id);
    for (const id of removed) schedule.remove(id);
    deepEqual(serveAll(schedule), expected);
    equal(schedule.depth, 0);
    equal(schedule.running, 0);
  });
}

check('serves one account in order of arrival', ['1a', '1b', '1c'], ['1a', '1b', '1c']);
check('serves accounts by turns', ['1a', '1b', '1c', '2a', '3a', '3b'], ['1a', '2a', '3a', '1b', '3b', '1c']);
check('adds the same work once', ['1a', '1a', '1b'], ['1a', '1b']);
check('leaves out what was removed', ['1a', '1b', '2a'], ['1b', '2a'], ['1a', '9z']);
check('has nothing to serve when empty', [], []);
check(
  'serves batch work last, by turns',
  ['1a*', '1b*', '2a*', '1c', '2b'],
  ['1c', '2b', '1a*', '2a*', '1b*'],
);

test('batch work gets its turn while interactive work never ends', () => {
  const schedule = new Schedule(1);
  for (let index = 0; index < 3; index++) add(schedule, `1-${index}*`);
  for (let index = 0; index < 3 * BATCH_TURN_EVERY; index++) add(schedule, `2-${index}`);
  const order = serveAll(schedule).slice(0, 3 * BATCH_TURN_EVERY);
  const turns = order.flatMap((id, index) => (id.endsWith('*') ? [index + 1] : []));
  deepEqual(turns, [BATCH_TURN_EVERY, 2 * BATCH_TURN_EVERY, 3 * BATCH_TURN_EVERY]);
});

test('batch work leaves a place to what somebody may wait for', () => {
  const schedule = new Schedule(3);
  for (const id of ['1a*', '1b*', '1c*', '1d*']) add(schedule, id);
  deepEqual([schedule.next()?.id, schedule.next()?.id, schedule.next()], ['1a*', '1b*', undefined]);
  add(schedule, '1e');
  equal(schedule.next()?.id, '1e');
  schedule.release('1a*');
  equal(schedule.next()?.id, '1c*');
});

test('batch work that somebody waits for by now is served as such', () => {
  const schedule = new Schedule(1);
  for (const id of ['1a*', '1b*', '2a']) add(schedule, id);
  for (const id of ['1b*', '2a', '9z']) schedule.promote(id);
  deepEqual(serveAll(schedule), ['2a', '1b*', '1a*']);
});

test('a newcomer does not wait for an account with much work', () => {
  const schedule = new Schedule(1);
  for (let index = 0; index < 1000; index++) add(schedule, `1-${index}`);
  equal(schedule.next()?.id, '1-0');
  schedule.release('1-0');
  add(schedule, '2-0');
  equal(schedule.next()?.id, '1-1');
  schedule.release('1-1');
  equal(schedule.next()?.id, '2-0');
});

test('runs no more than its maximum at once', () => {
  const schedule = new Schedule(2);
  for (const id of ['1a', '1b', '1c']) add(schedule, id);
  deepEqual([schedule.next()?.id, schedule.next()?.id, schedule.next()], ['1a', '1b', undefined]);
  deepEqual([schedule.depth, schedule.running], [1, 2]);
  schedule.release('1a');
  equal(schedule.next()?.id, '1c');
});

test('running work is not added again, released work is', () => {
  const schedule = new Schedule(1);
  add(schedule, '1a');
  schedule.next();
  add(schedule, '1a');
  deepEqual([schedule.depth, schedule.has('1a'), schedule.remove('1a')], [0, true, false]);
  schedule.release('1a');
  add(schedule, '1a');
  equal(schedule.next()?.id, '1a');
});

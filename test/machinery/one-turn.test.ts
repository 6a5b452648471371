import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { OneTurn, type TurnQuestion } from '../../src/machinery/one-turn.ts';

const ABOUT = { name: 'harbour' };
const QUESTION: TurnQuestion = { stamp: 1, about: ABOUT, by: 'reader' };

function openCounted(valuesMax?: number) {
  const values = new OneTurn<number>(valuesMax);
  let made = 0;
  return { values, ask: (question: Partial<TurnQuestion> = {}) => ask({ ...QUESTION, ...question }) };

  function ask(question: TurnQuestion): number {
    return values.get(question, () => ++made);
  }
}

test('equal readings in one turn get one answer, those of the next turn another', async () => {
  const { values, ask } = openCounted();
  assert.equal(ask(), 1);
  await Promise.resolve();
  assert.equal(ask(), 1);
  await turn();
  assert.equal(values.size, 0);
  assert.equal(ask(), 2);
});

test('a reader of another object, with other rights or after a change gets its own answer', () => {
  const { ask } = openCounted();
  assert.equal(ask(), 1);
  assert.equal(ask({ about: { ...ABOUT } }), 2);
  assert.equal(ask({ by: 'another reader' }), 3);
  assert.equal(ask({ stamp: 2 }), 4);
  assert.equal(ask({ stamp: 2 }), 4);
  assert.equal(ask(), 5, 'of the state before nothing is kept');
});

test('the cache of a turn is bounded, and keeps no failure', () => {
  const { values, ask } = openCounted(2);
  for (const by of ['one', 'two', 'three']) ask({ by });
  assert.equal(values.size, 1);
  assert.equal(ask({ by: 'three' }), 3);
  const fault = new Error('unreadable');
  assert.throws(
    () =>
      values.get({ ...QUESTION, by: 'four' }, () => {
        throw fault;
      }),
    fault,
  );
  assert.equal(values.size, 1);
});

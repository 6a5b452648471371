import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { READING_MS_MAX, SharedReading } from '../../src/port/health.ts';

function reading() {
  const clock = { ms: 0 };
  const made: PromiseWithResolvers<string>[] = [];
  const shared = new SharedReading(
    () => {
      const next = Promise.withResolvers<string>();
      made.push(next);
      return next.promise;
    },
    () => clock.ms,
  );
  return { clock, made, shared };
}

test('callers share a reading while it is made and shortly afterwards; later it is made anew', async () => {
  const { clock, made, shared } = reading();
  const [first, second] = [shared.get(), shared.get()];
  clock.ms = READING_MS_MAX * 9;
  const third = shared.get();
  made[0]?.resolve('one');
  const texts = await Promise.all([first, second, third]);
  deepEqual(texts.map(String), ['one', 'one', 'one']);
  clock.ms += READING_MS_MAX - 1;
  equal(String(await shared.get()), 'one');
  clock.ms += 1;
  const later = shared.get();
  made[1]?.resolve('two');
  equal(String(await later), 'two');
  equal(made.length, 2);
});

test('a reading that fails answers only those who waited for it; the next is made anew', async () => {
  const { made, shared } = reading();
  const waiting = [shared.get(), shared.get()];
  made[0]?.reject(new Error('the disk does not answer'));
  for (const one of waiting) await rejects(one, /does not answer/);
  const next = shared.get();
  made[1]?.resolve('two');
  equal(String(await next), 'two');
});

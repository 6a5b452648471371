/** Only root may take niceness back, so children keep what an administrator's unit has. */
import { equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { test } from 'node:test';
import { lowerPriority, NICENESS } from '../../src/engine/children/lower-priority.ts';

for (const [own, expected] of [
  [0, NICENESS],
  [NICENESS + 5, NICENESS + 5],
] as const) {
  test(`a child of niceness ${own} has ${expected} then`, async () => {
    const child = spawn('sleep', ['60']);
    try {
      setPriority(child.pid ?? 0, own);
      lowerPriority(child);
      equal(getPriority(child.pid), expected);
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });
}

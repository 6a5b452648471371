/** What makes media for tests leaves the process as it was. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FORMATS } from '../contract/formats.ts';

/** proc_pid_stat(5): field 41, 0 for ordinary scheduling. */
function schedulingPolicy(): string | undefined {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38];
}

test('no encoder gives the process real-time priority, which the children of later tests would inherit', async () => {
  for (const { name, make } of FORMATS) {
    await make();
    assert.equal(schedulingPolicy(), '0', name);
  }
});

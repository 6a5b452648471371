/** Tests under a virtual clock: in a process with one thread for files, so that these end in the order in which they began. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { test } from 'node:test';

const TIMEOUT_MS = 120_000;

/** `file`: the test file that asks. */
export function inOneThread(file: string, define: () => void): void {
  if (process.env.UV_THREADPOOL_SIZE === '1') {
    define();
    return;
  }
  test(`${basename(file)} with one thread for files`, () => {
    // With the runner's own context the process would report to no one.
    const { NODE_TEST_CONTEXT: _, ...others } = process.env;
    const env = { ...others, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' };
    const options = { env, encoding: 'utf8', timeout: TIMEOUT_MS } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--test-reporter=spec', ...process.argv.slice(2), file],
      options,
    );
    assert.equal(status, 0, `${stdout}\n${stderr}`);
  });
}

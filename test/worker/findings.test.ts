import { ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { PoolFuzzer, type PoolResult } from '../heavy/fuzzing/fuzz-pool.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

interface Finding {
  file: string;
  what: string;
  ends: readonly PoolResult['outcome'][];
}

const FINDINGS: readonly Finding[] = [
  { file: 'mpeg-ps-306.gz', what: 'a frame with a colour space that does not exist', ends: ['refused'] },
  // The frames before it are there.
  {
    file: 'mp4-2640.gz',
    what: 'a table that claims more memory than there is',
    ends: ['refused', 'decoded'],
  },
];
const MS_MAX = 20_000;

for (const { file, what, ends } of FINDINGS) {
  test(`${what} (${file})`, async () => {
    await using folder = await makeTemporaryFolder();
    await using pool = new PoolFuzzer(folder.path);
    const bytes = gunzipSync(await readFile(join(import.meta.dirname, 'findings', file)));
    const result = await pool.try({ format: '', kind: 'video', bytes }, bytes);
    ok(ends.includes(result.outcome), `${result.outcome}: ${result.message}`);
    ok(result.ms < MS_MAX);
  });
}

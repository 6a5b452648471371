/** Flipped bytes in each row of `test/faults/flipped-bytes.test.ts`, one row at a time. */
import { join } from 'node:path';
import { damageInTurn, damagesOneByOne, setUp, tableNames } from '../../faults/rounds/flipped-rows.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';

await using folder = await makeTemporaryFolder();
const stage = await setUp(join(folder.path, 'data'));
const { flipped } = await damageInTurn(stage, damagesOneByOne(await tableNames(stage)));
process.stdout.write(`rows of ${flipped.size} tables were damaged one at a time: nothing else stopped\n`);

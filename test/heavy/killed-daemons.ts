/** Twenty rounds of kill -9: once the killing has stopped, no good file has ended errored. */
import { playRounds } from '../faults/rounds/killed-rounds.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { numberArgument } from './random.ts';

const ROUNDS_DEFAULT = 20;

await using folder = await makeTemporaryFolder();
const ends = await playRounds(folder.path, numberArgument('rounds', ROUNDS_DEFAULT));
const errored = ends.filter((status) => status !== 'done').length;
process.stdout.write(`${ends.length} files submitted, ${errored} of them errored\n`);
if (errored > 0) process.exitCode = 1;

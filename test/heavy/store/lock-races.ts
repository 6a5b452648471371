/** Five hundred races of three starters for one data folder, over fresh, stale and zombie locks: always exactly one. */
import { race } from '../../store/lock-races.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { numberArgument } from '../random.ts';

const RACES_DEFAULT = 500;

const races = numberArgument('races', RACES_DEFAULT);
await using folder = await makeTemporaryFolder();
const faults = await race(folder.path, races);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${races} races, ${races - faults.length} with exactly one holder\n`);
if (faults.length > 0) process.exitCode = 1;

/** Two hundred thousand histories of the simulator, from seeds that `npm test` does not run. `--count` and `--from` change that. */
import { availableParallelism } from 'node:os';
import { runFleet } from '../../simulator/fleet.ts';
import { numberArgument } from '../random.ts';

/** Histories of one start: a process that ran for hours shows less of where it met its fault. */
const BATCH = 5000;
const count = numberArgument('count', 200_000);
const from = numberArgument('from', 1_000_000);

for (let done = 0; done < count; done += BATCH) {
  const { sums, faults } = await runFleet({
    from: from + done,
    count: Math.min(BATCH, count - done),
    processes: availableParallelism(),
  });
  process.stdout.write(`${from + done}: ${JSON.stringify(sums)}\n`);
  if (faults.length === 0) continue;
  process.stdout.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
  break;
}

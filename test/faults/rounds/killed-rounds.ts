/** Rounds of kill -9, a second or two apart, with a file that takes longer than that. */
import { setTimeout as delay } from 'node:timers/promises';
import { TestDaemon } from '../../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from './submissions.ts';

/** Takes several seconds to decode and to judge: longer than the daemon lives. */
const LONG_SIDE = 4000;
const KILL_AFTER_MS = 1000;
const SHORT_PER_ROUND = 2;

/** How all that was submitted ended, once the killing had stopped. */
export async function playRounds(folder: string, rounds: number): Promise<string[]> {
  const identifiers: string[] = [];
  let seed = 0;
  const submit = async (daemon: TestDaemon, side?: number) => {
    seed += 1;
    identifiers.push(await submitPicture(daemon, await distinctPicture(seed, side)));
  };
  for (let round = 0; round < rounds; round++) {
    await using daemon = await TestDaemon.start({ folder });
    if (round === 0) await submit(daemon, LONG_SIDE);
    for (let count = 0; count < SHORT_PER_ROUND; count++) await submit(daemon);
    await delay(KILL_AFTER_MS * (1 + (round % 2)));
    await daemon.kill('SIGKILL');
  }
  await using daemon = await TestDaemon.start({ folder });
  return await awaitEnds(daemon, identifiers);
}

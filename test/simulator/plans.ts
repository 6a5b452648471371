/** What a history consists of, as its seed has it. */
import type { Random } from '../heavy/random.ts';
import type { BrokerFaults } from './broker.ts';
import type { DiskFaults } from './faulty-disk.ts';
import type { ReceiverFaults } from './receivers.ts';
import type { ChildFaults } from './simulated-executor.ts';

/** `kill`: the process alone; `power`: the machine, with what was not flushed; `stop`: as asked; `calm`: when all is done. */
export type LifeEnd = 'kill' | 'power' | 'stop' | 'calm';

export interface LifePlan {
  end: LifeEnd;
  /** Steps of the history at most. */
  steps: number;
  /** Places where it could have died before it does. */
  turns: number;
  disk: DiskFaults;
  children: ChildFaults;
  receivers: ReceiverFaults;
  broker: BrokerFaults;
}

const LIVES_MAX = 3;
const STEPS_MAX = 25;
const TURNS_MAX = 400;

export function drawLives(random: Random): LifePlan[] {
  const lives = Array.from({ length: random.whole(1, LIVES_MAX) }, () => drawLife(random));
  return [...lives, CALM];
}

function drawLife(random: Random): LifePlan {
  const end = random.pick(['kill', 'kill', 'power', 'stop'] as const);
  const share = (most: number) => (random.chance(0.4) ? random.next() * most : 0);
  return {
    ...{ end, steps: random.whole(5, STEPS_MAX), turns: random.whole(1, TURNS_MAX) },
    disk: { full: share(0.1), flush: share(0.1), isPowerLost: end === 'power' },
    children: { dies: share(0.3), hangs: share(0.1), refuses: share(0.2) },
    receivers: { refuses: share(0.7), silent: share(0.3) },
    broker: { loses: share(0.3), repeats: share(0.3), vanishes: share(0.3), lies: share(0.4) },
  };
}

const CALM: LifePlan = {
  ...{ end: 'calm', steps: 5, turns: 0 },
  disk: { full: 0, flush: 0, isPowerLost: false },
  children: { dies: 0, hangs: 0, refuses: 0 },
  receivers: { refuses: 0, silent: 0 },
  broker: { loses: 0, repeats: 0, vanishes: 0, lies: 0 },
};

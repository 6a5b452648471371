/**
 * A worker whose models take at least `WAIT_MS` for each picture, one picture after the other, as on a GPU with a large
 * model: the time is waited for, not computed, so that boxes can be counted on a machine with fewer cores than boxes.
 */
import { parseArgs } from 'node:util';
import { ChildExecutor } from '../src/engine/executors/child-executor.ts';
import { serveWorker } from '../src/serve.ts';

const WAIT_MS = Number(process.env.BENCH_WAIT_MS);

const { values } = parseArgs({ options: { name: { type: 'string' } } });
const execute = ChildExecutor.prototype.execute;
let models: Promise<unknown> = Promise.resolve();
ChildExecutor.prototype.execute = async function waiting(...job) {
  const [result] = await Promise.all([execute.apply(this, job), takeTurn()]);
  return result;
};

async function takeTurn(): Promise<void> {
  const turn = models.then(() => new Promise((resolve) => setTimeout(resolve, WAIT_MS)));
  models = turn;
  await turn;
}

await serveWorker([], values.name);

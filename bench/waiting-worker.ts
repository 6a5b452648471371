/**
 * A worker of which each picture takes at least `WAIT_MS` of the models, one picture after the other, as on a GPU with a large
 * model: the time is waited for, not computed, so that boxes can be counted on a machine with fewer cores than boxes.
 */
import { parseArgs } from 'node:util';
import { Workshop } from '../src/engine/places/workshop.ts';
import { serveWorker } from '../src/main.ts';

const WAIT_MS = Number(process.env.BENCH_WAIT_MS);

const { values } = parseArgs({ options: { name: { type: 'string' } } });
const analyse = Workshop.prototype.analyse;
let models: Promise<unknown> = Promise.resolve();
Workshop.prototype.analyse = async function waiting(...job) {
  const [result] = await Promise.all([analyse.apply(this, job), takeTurn()]);
  return result;
};

async function takeTurn(): Promise<void> {
  const turn = models.then(() => new Promise((resolve) => setTimeout(resolve, WAIT_MS)));
  models = turn;
  await turn;
}

await serveWorker([], values.name);

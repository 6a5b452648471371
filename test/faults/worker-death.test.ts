import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestDaemon } from '../daemon.ts';
import { jobInputs } from './rounds/data-folder.ts';
import { childrenOf, isAlive } from './rounds/processes.ts';
import {
  awaitEnds,
  distinctPicture,
  metricOf,
  pidOf,
  statusOf,
  submitPicture,
  until,
} from './rounds/submissions.ts';

/** Takes a core a good while to decode, so that a look at it finds it in work. */
const LARGE_SIDE = 3000;

let daemon: TestDaemon;

before(async () => {
  daemon = await TestDaemon.start({ models: 'tiny' });
  // After one analysis every child that it needs is up.
  deepEqual(await awaitEnds(daemon, [await submitPicture(daemon, await distinctPicture(0))]), ['done']);
});

after(() => daemon[Symbol.asyncDispose]());

test('an analysis ends well although its decode child is killed', async () => {
  const pid = pidOf(daemon);
  const { inference } = childrenOf(pid);
  const identifier = await submitPicture(daemon, await distinctPicture(1, LARGE_SIDE));
  // The probe is over once the answer is there, so a file in a slot is the analysis'.
  await until(() => jobInputs(daemon.folder).length > 0, 'the analysis to have its file');
  const { decode } = childrenOf(pid);
  ok(decode.length > 0);
  for (const child of decode) process.kill(child, 'SIGSTOP');
  equal(await statusOf(daemon, identifier), 'new', 'the children were stopped too late');
  for (const child of decode) process.kill(child, 'SIGKILL');
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  equal(await metricOf(daemon, 'assay_worker_deaths_total{worker="decode"}'), 1);
  ok(isAlive(pid));
  deepEqual(childrenOf(pid).inference, inference);
  await until(() => jobInputs(daemon.folder).length === 0, 'the slots to be emptied');
});

test('an analysis ends well although its inference child is killed', async () => {
  const pid = pidOf(daemon);
  const { decode, inference } = childrenOf(pid);
  equal(inference.length, 1);
  const decoded = 'assay_step_seconds_count{step="decode"}';
  const decodedBefore = await metricOf(daemon, decoded);
  for (const child of inference) process.kill(child, 'SIGSTOP');
  const identifier = await submitPicture(daemon, await distinctPicture(1));
  await until(async () => (await metricOf(daemon, decoded)) > decodedBefore, 'the patches to be asked about');
  equal(await statusOf(daemon, identifier), 'new');
  for (const child of inference) process.kill(child, 'SIGKILL');
  deepEqual(await awaitEnds(daemon, [identifier]), ['done']);
  equal(await metricOf(daemon, 'assay_worker_deaths_total{worker="inference"}'), 1);
  ok(isAlive(pid));
  const after = childrenOf(pid);
  ok(decode.every((child) => after.decode.includes(child)));
  notDeepEqual(after.inference, inference);
});

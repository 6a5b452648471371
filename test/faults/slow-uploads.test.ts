import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../evaluate/quantile.ts';
import { addCustomer, type Customer, openService, type Service } from '../interface/service.ts';
import { uploadFiles } from './rounds/data-folder.ts';
import { pictureOf, SlowClients, timeSubmission, WAYS_IN } from './rounds/slow-clients.ts';
import { until } from './rounds/submissions.ts';

const SLOW = 200;
const TRIES = 5;
const PICTURE_BYTES = 1_000_000;
/** Bounds for a machine that is busy with other things; test/heavy/slow-uploads.ts holds the narrow ones. */
const OTHER_MS_MAX = 4_000;
const SAME_MS_MAX = 8_000;
/** The half minute over which an upload is judged, and what a busy machine adds. */
const ENDED_TIMEOUT_MS = 150_000;
const LONGER_THAN_WINDOW_MS = 45_000;

let service: Service;
let busy: Customer;
let other: Customer;

before(async () => {
  service = await openService();
  [busy, other] = [await addCustomer(service), await addCustomer(service)];
});

after(async () => await service?.[Symbol.asyncDispose]());

const temporaryFiles = (): string[] => uploadFiles(service.open.folder);

test('two hundred slow uploads hold up no other, and end with 408 and without a trace', async () => {
  using slow = await SlowClients.open(service, busy.key, SLOW);
  await until(() => temporaryFiles().length === SLOW, 'all of them to be received at once');
  let seed = 0;
  for (const { customer, msMax } of [
    { customer: other, msMax: OTHER_MS_MAX },
    { customer: busy, msMax: SAME_MS_MAX },
  ]) {
    for (const way of WAYS_IN) {
      const times: number[] = [];
      for (let index = 0; index < TRIES; index++) {
        seed += 1;
        times.push(await timeSubmission(service, way, customer.key, await pictureOf(seed, PICTURE_BYTES)));
      }
      const median = quantile(times, 0.5);
      ok(median <= msMax, `by ${way} a picture was accepted after ${median.toFixed(0)} ms`);
    }
  }
  await until(() => slow.answers.every((answer) => answer !== ''), 'them to be ended', ENDED_TIMEOUT_MS);
  for (const answer of slow.answers) match(answer, /^HTTP\/1\.1 408 /);
  await until(() => temporaryFiles().length === 0, 'their files to be removed');
});

test('an upload above the floor goes on, however long it takes', async () => {
  using slow = await SlowClients.open(service, busy.key, 1, 4096);
  await delay(LONGER_THAN_WINDOW_MS);
  deepEqual(slow.answers, ['']);
  equal(temporaryFiles().length, 1);
});

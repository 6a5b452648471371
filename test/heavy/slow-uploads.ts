/** 200 dripping uploads of one account: a picture of another is accepted within 1 s by every way, of the same within 3 s. */

import { quantile } from '../../evaluate/quantile.ts';
import { pictureOf, SlowClients, timeSubmission, WAYS_IN } from '../faults/rounds/slow-clients.ts';
import { addCustomer, openService } from '../interface/service.ts';

const SLOW = 200;
const TRIES = 20;
const PICTURE_BYTES = 1_000_000;
const OTHER_MS_MAX = 1000;
const SAME_MS_MAX = 3000;

await using service = await openService();
const [busy, other] = [await addCustomer(service), await addCustomer(service)];
const rows: Record<string, Record<string, string>> = {};
let seed = 0;
for (const { who, customer, msMax } of [
  { who: 'another account', customer: other, msMax: OTHER_MS_MAX },
  { who: 'the same account', customer: busy, msMax: SAME_MS_MAX },
]) {
  for (const way of WAYS_IN) {
    // Anew for each, since they are ended after half a minute.
    using _slow = await SlowClients.open(service, busy.key, SLOW);
    const times: number[] = [];
    for (let index = 0; index < TRIES; index++) {
      seed += 1;
      times.push(await timeSubmission(service, way, customer.key, await pictureOf(seed, PICTURE_BYTES)));
    }
    const median = quantile(times, 0.5);
    rows[`${who}, ${way}`] = {
      median: `${median.toFixed(0)} ms`,
      worst: `${Math.max(...times).toFixed(0)} ms`,
    };
    if (median <= msMax) continue;
    process.stderr.write(`missed: ${who}, ${way}: accepted after ${median.toFixed(0)} ms\n`);
    process.exitCode = 1;
  }
}
console.table(rows);

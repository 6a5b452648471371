/** Ten thousand submissions (`growth.ts 2000`: fewer) under a refreshing page: the records' file grows evenly. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_KEY, TestDaemon } from '../../daemon.ts';
import { awaitEnds, distinctPicture, metricOf, submitPicture } from '../../faults/rounds/submissions.ts';
import { ADMIN, signIn, TestBrowser } from '../../page/browser.ts';
import { megabytes } from '../measure.ts';

const SUBMISSIONS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 10;
const AT_ONCE = 8;
/** Bound for the last round's bytes per record over the second's: pages that are half full make some difference. */
const GROWTH_MAX = 1.25;
const BEHIND_MAX = 20;

const env = {
  ASSAY_ADMIN_API_KEY: TEST_KEY,
  ASSAY_ADMIN_EMAIL: ADMIN.email,
  ASSAY_ADMIN_PASSWORD: ADMIN.password,
};
await using daemon = await TestDaemon.start({ env });
await using browser = await TestBrowser.start();
await using records = await browser.open(daemon.http);
await signIn(records);
// A second one stays where findings, processes and the audit log are asked for again and again.
await using appliance = await browser.open(daemon.http);
await signIn(appliance);
await appliance.page.goto('/appliance');

const picture = await distinctPicture(1);
await awaitEnds(daemon, [await submitPicture(daemon, picture)]);
const bytesNow = (): number => statSync(join(daemon.folder, 'records', 'data.mdb')).size;

const perRound = Math.ceil(SUBMISSIONS / ROUNDS);
const grown: number[] = [];
for (let round = 1; round <= ROUNDS; round += 1) {
  const before = bytesNow();
  let left = perRound;
  const submit = async (): Promise<void> => {
    for (left -= 1; left >= 0; left -= 1) await submitPicture(daemon, picture);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, submit));
  await appliance.page.reload();
  const bytesPerRecord = (bytesNow() - before) / perRound;
  const behind = await metricOf(daemon, 'assay_records_oldest_reader_transactions');
  grown.push(bytesPerRecord);
  process.stdout.write(
    `${round * perRound} submissions: ${megabytes(bytesNow())}, ${bytesPerRecord.toFixed(0)} bytes a record, oldest reader ${behind} behind\n`,
  );
  if (behind > BEHIND_MAX) miss(`a reader is ${behind} transactions behind`);
}
const [, second = 0] = grown;
const last = grown.at(-1) ?? 0;
if (last > GROWTH_MAX * second)
  miss(`${last.toFixed(0)} bytes a record at the end, ${second.toFixed(0)} before`);
if (records.faults.length + appliance.faults.length > 0)
  miss([...records.faults, ...appliance.faults].join('; '));

function miss(what: string): void {
  process.stderr.write(`missed: ${what}\n`);
  process.exitCode = 1;
}

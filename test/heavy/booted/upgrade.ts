/**
 * An upgrade of a box at work, the way back by `assay rollback`, and forward again. upgrade.ts --from FILE
 * [--package FILE] [--base FOLDER] [--records N]. Needs what main.ts needs, and an older package.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Box } from './box.ts';
import { type Desk, picture, until } from './desk.ts';
import { CLI } from './make-box.ts';
import { runInBox, timed } from './session.ts';

const READY_SECONDS_MAX = 300;
const ENDED_SECONDS_MAX = 600;
/** Different pictures; the others are the same ones again, answered by what is known of them. */
const PICTURES = 8;
const RECORDS_DEFAULT = 200;
const SENDERS = 4;
const PAUSE_MS = 500;
const LATE_RECORDS = 3;
/** Nobody is there to be asked: the administrator's settings stay. */
const INSTALL =
  'apt-get install --yes -o Dpkg::Options::=--force-confold -o Dpkg::Options::=--force-unsafe-io';
const DATA = '/var/lib/assay';
const ROLLBACK = `setpriv --reuid=assay --regid=assay --init-groups -- assay rollback --data-dir ${DATA}`;

async function fill(desk: Desk, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => index % PICTURES);
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, number) => picture(number)));
  const ids: string[] = [];
  const send = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift())
      ids.push(await desk.accepted(pictures[number] ?? Buffer.alloc(0)));
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return ids;
}

interface Beside {
  accepted: string[];
  /** The longest time between two that were accepted. */
  gapSeconds: number;
}

/** Files come in for as long as the work lasts. */
async function submitBeside(desk: Desk, work: Promise<unknown>): Promise<Beside> {
  const accepted: string[] = [];
  let [isOver, gapMs, last] = [false, 0, performance.now()];
  void work.finally(() => {
    isOver = true;
  });
  for (let number = 1000; !isOver; number++) {
    const answer = await desk.submit(await picture(number % 100)).catch(() => null);
    if (answer?.status === 200) {
      accepted.push(answer.text);
      gapMs = Math.max(gapMs, performance.now() - last);
      last = performance.now();
    }
    await delay(PAUSE_MS);
  }
  return { accepted, gapSeconds: gapMs / 1000 };
}

async function awaitAllDone(desk: Desk, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status, errors } = await desk.awaitEnded(id, ENDED_SECONDS_MAX);
    equal(status, 'done', `${id}: ${JSON.stringify(errors)}`);
  }
}

async function missingOf(desk: Desk, ids: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const id of ids) if ((await desk.ask(`/api/classification/${id}`)).status === 404) missing.push(id);
  return missing;
}

async function upgrade(box: Box, desk: Desk, kept: string[]): Promise<void> {
  const install = box.runBeside(`${INSTALL} /root/newer.deb`);
  const { accepted, gapSeconds } = await submitBeside(desk, install);
  const { status, text } = await install;
  equal(status, 0, text);
  equal(/files that are being replaced/.test(text), false, text);
  await desk.awaitReady(READY_SECONDS_MAX);
  process.stdout.write(
    `  ${accepted.length} accepted beside the upgrade, longest gap ${gapSeconds.toFixed(1)} s\n`,
  );
  kept.push(...accepted);
  deepEqual(await missingOf(desk, kept), []);
  await awaitAllDone(desk, accepted);
  const journal = box.must('journalctl --unit=assay --no-pager --output=cat');
  match(journal, /are kept in .*before-upgrade/);
  match(journal, /the data folder has format \d+ now/);
  equal(box.run('test -e /opt/.assay-before').status, 1, 'the kept program is gone');
}

async function goBack(box: Box, desk: Desk, kept: readonly string[]): Promise<void> {
  const late = await fill(desk, LATE_RECORDS);
  await awaitAllDone(desk, late);
  match(box.run(ROLLBACK).text, /in use/);
  box.must('systemctl stop assay');
  const forecast = box.must(ROLLBACK);
  match(forecast, /nothing was changed: --yes goes back/);
  const [, lost = ''] = /^(\d+) records that were accepted/m.exec(forecast) ?? [];
  ok(Number(lost) >= LATE_RECORDS, forecast);
  match(box.must(`${ROLLBACK} --yes`), /are kept in \S+after-upgrade/);
  box.must(`${INSTALL} --allow-downgrades /root/assay.deb`);
  box.must('systemctl start assay');
  await desk.awaitReady(READY_SECONDS_MAX);
  deepEqual(await missingOf(desk, late), late, 'what came after the upgrade is lost, as was said');
  const before = kept.slice(0, kept.length);
  equal((await missingOf(desk, before)).length, Number(lost) - LATE_RECORDS);
  process.stdout.write(`  ${lost} records lost, as was said before\n`);
}

async function forwardAgain(box: Box, desk: Desk, filled: readonly string[]): Promise<void> {
  box.must(`${INSTALL} /root/newer.deb`);
  await desk.awaitReady(READY_SECONDS_MAX);
  deepEqual(await missingOf(desk, filled), []);
  match(box.must('assay custody verify', CLI), /whole/i);
  await awaitAllDone(desk, await fill(desk, 1));
}

await runInBox({ needsOlder: true }, async ({ box, desk, newer, values }) => {
  copyFileSync(newer, join(box.system, 'root/newer.deb'));
  const filled = await timed('records before', () => fill(desk, Number(values.records ?? RECORDS_DEFAULT)));
  await until('judged', ENDED_SECONDS_MAX, async () =>
    (await desk.record(filled.at(-1) ?? '')).status === 'done' ? true : null,
  );
  const kept = [...filled];
  await timed('upgraded', () => upgrade(box, desk, kept));
  await timed('taken back', () => goBack(box, desk, kept));
  await timed('forward again', () => forwardAgain(box, desk, filled));
});

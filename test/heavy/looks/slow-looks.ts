/** 24 dear files of one account at once: each JPEG of another must be accepted within 1 s, or exit code 1. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { timeSubmission } from '../../faults/rounds/slow-clients.ts';
import { distinctPicture } from '../../faults/rounds/submissions.ts';
import { addCustomer, openService } from '../../interface/service.ts';
import { animatedWebp, greyPng, repeatLastFrame } from '../../media/pictures.ts';

const FILES = 24;
const TRIES = 8;
const MS_MAX = 1000;
const FRAMES = 50_000;
const SIDE = 10_000;
const ORDINARY_BYTES = 2_600_000;

const KINDS: ReadonlyMap<string, () => Promise<Buffer>> = new Map([
  ['ordinary pictures', async () => Buffer.concat([await distinctPicture(99), Buffer.alloc(ORDINARY_BYTES)])],
  [`animations of ${FRAMES} frames`, async () => repeatLastFrame(await animatedWebp(16), FRAMES - 3)],
  [`pictures of ${SIDE ** 2} pixels`, async () => greyPng(SIDE, SIDE, SIDE)],
]);

interface FloodEnd {
  statuses: number[];
  ms: number;
}

/** Sends all files at once on demand. The files differ, since a known one is not looked at again. */
async function flood(url: string, key: string, kind: string): Promise<void> {
  const file = (await KINDS.get(kind)?.()) ?? Buffer.alloc(0);
  const forms = Array.from({ length: FILES }, (_, number) => {
    const form = new FormData();
    form.set('image', new Blob([new Uint8Array(Buffer.concat([file, Buffer.from(`file ${number}`)]))]), 'a');
    return form;
  });
  process.send?.('ready');
  await once(process, 'message');
  const startedAt = performance.now();
  const init = { method: 'POST', headers: { 'x-api-key': key } };
  const answers = await Promise.all(
    forms.map((body) => fetch(`${url}/api/classification`, { ...init, body })),
  );
  const end: FloodEnd = { statuses: answers.map(({ status }) => status), ms: performance.now() - startedAt };
  process.send?.(end);
  process.disconnect();
}

async function measure(): Promise<void> {
  await using service = await openService();
  const [busy, other] = [await addCustomer(service), await addCustomer(service)];
  // The first picture of a daemon starts its decoder.
  await timeSubmission(service, 'REST', other.key, await distinctPicture(1));
  const rows: Record<string, Record<string, string>> = {};
  let seed = 1;
  for (const kind of KINDS.keys()) {
    const pictures = await Promise.all(Array.from({ length: TRIES }, () => distinctPicture(++seed)));
    const child = fork(import.meta.filename, [service.url, busy.key, kind]);
    await once(child, 'message');
    const ending = once(child, 'message') as Promise<[FloodEnd]>;
    child.send('go');
    const times: number[] = [];
    for (const picture of pictures) times.push(await timeSubmission(service, 'REST', other.key, picture));
    const [{ statuses, ms }] = await ending;
    rows[kind] = {
      'another account, worst': `${Math.max(...times).toFixed(0)} ms`,
      'while the last of the 24 took': `${ms.toFixed(0)} ms`,
      statuses: [...new Set(statuses)].join(', '),
    };
    if (Math.max(...times) <= MS_MAX) continue;
    process.stderr.write(
      `missed: ${kind}: accepted after ${times.map((each) => each.toFixed(0)).join(', ')} ms\n`,
    );
    process.exitCode = 1;
  }
  console.table(rows);
}

const [, , url, key, kind] = process.argv;
if (url === undefined || key === undefined || kind === undefined) await measure();
else await flood(url, key, kind);

/**
 * 24 files of one account that are dear to look at, all at once: meanwhile each JPEG of another account must be accepted within
 * 1 s. Animations of 50,000 frames, which are counted before they are read; and pictures of a hundred million pixels, each of which
 * takes a decoder a second or more. Ordinary pictures of as many bytes show what receiving alone costs. Exit code 1 on a miss.
 */
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

await using service = await openService();
const [busy, other] = [await addCustomer(service), await addCustomer(service)];
// The first picture of a daemon starts its decoder.
await timeSubmission(service, 'REST', other.key, await distinctPicture(1));
const rows: Record<string, Record<string, string>> = {};
let seed = 1;
for (const [what, file] of [
  ['ordinary pictures', Buffer.concat([await distinctPicture(99), Buffer.alloc(ORDINARY_BYTES)])],
  [`animations of ${FRAMES} frames`, repeatLastFrame(await animatedWebp(16), FRAMES - 3)],
  [`pictures of ${SIDE ** 2} pixels`, greyPng(SIDE, SIDE, SIDE)],
] as const) {
  const pictures = await Promise.all(Array.from({ length: TRIES }, () => distinctPicture(++seed)));
  const startedAt = performance.now();
  const answers = Array.from({ length: FILES }, async (_, number) => {
    // Each of its own: what is known is not looked at again.
    const image = new Uint8Array(Buffer.concat([file, Buffer.from(`file ${number}`)]));
    const { status } = await busy.post('/api/classification', { image });
    return { status, ms: performance.now() - startedAt };
  });
  const times: number[] = [];
  for (const picture of pictures) times.push(await timeSubmission(service, 'REST', other.key, picture));
  const ends = await Promise.all(answers);
  rows[what] = {
    'another account, worst': `${Math.max(...times).toFixed(0)} ms`,
    'while the last of the 24 took': `${Math.max(...ends.map(({ ms }) => ms)).toFixed(0)} ms`,
    statuses: [...new Set(ends.map(({ status }) => status))].join(', '),
  };
  if (Math.max(...times) <= MS_MAX) continue;
  process.stderr.write(`missed: ${what}: accepted after ${times.map((ms) => ms.toFixed(0)).join(', ')} ms\n`);
  process.exitCode = 1;
}
console.table(rows);

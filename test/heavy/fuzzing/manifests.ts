/** 2,000 mutated manifests through a real decode child: none may end it, nor a median pass its bound (exit code 1). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readProvenance } from '../../../src/worker/steps/provenance.ts';
import { makeIdentity } from '../../certificates.ts';
import { LIMITS, openSlot } from '../../media/decode-fixture.ts';
import { patternImage } from '../../media/pictures.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { makeSigner, plainPicture, signMedia } from '../../signed-media.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { shippedTrust } from '../../trust-lists.ts';

const MUTATIONS = 2000;
const SIGNED_MS_MAX = 30;
const UNSIGNED_MS_MAX = 2;
const READS = 40;
const trust = shippedTrust();

/** The same mutations with every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Within the manifest: bytes changed, cut out, doubled, or lengths set to their extremes. */
function mutate(file: Buffer, random: (below: number) => number): Buffer {
  const from = file.indexOf('jumb');
  const to = file.lastIndexOf('c2pa.signature') + 4000;
  const place = (): number => from + random(Math.min(to, file.length - 64) - from);
  const changed = Buffer.from(file);
  const kind = random(4);
  if (kind === 0) for (let times = 1 + random(8); times > 0; times -= 1) changed[place()] = random(256);
  if (kind === 1) changed.fill([0x00, 0xff, 0x7f, 0x80][random(4)] ?? 0, place(), place() + 4);
  if (kind === 2) changed.copyWithin(place(), place(), place() + random(64));
  if (kind === 3) changed.writeUInt32BE([0, 1, 0x7fffffff, 0xffffffff][random(4)] ?? 0, place());
  return changed;
}

async function fuzz(folder: string): Promise<number> {
  const authority = makeIdentity({ name: 'Fuzz authority' });
  const inner = await signMedia({}, { signer: makeSigner(authority) });
  const ingredients = [
    { definition: { title: 'part', relationship: 'componentOf' }, file: inner.file, mime: 'image/jpeg' },
  ];
  const { file } = await signMedia({ ingredients }, { signer: makeSigner(authority) });
  const random = makeRandom(27);
  await using slot = await openSlot(folder);
  const path = join(folder, 'mutated.jpg');
  let ended = 0;
  for (let index = 0; index < MUTATIONS; index += 1) {
    await writeFile(path, mutate(file, random));
    const input = await slot.placeInput(path);
    const request = { type: 'read-marks', input, limits: LIMITS, trust } as const;
    await slot.request(request).catch((error: unknown) => {
      // A file that is no picture any more is refused in words; anything else is the child's end.
      if (error instanceof Error && error.name === 'MediaFaultError') return;
      ended += 1;
      process.stderr.write(`mutation ${index}: ${String(error)}\n`);
    });
  }
  return ended;
}

async function medianMs(path: string, mime: string): Promise<number> {
  const times: number[] = [];
  for (let reads = 0; reads < READS; reads += 1) {
    const begun = performance.now();
    await readProvenance({ path, mime, trust });
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[READS / 2] ?? Number.NaN;
}

await using folder = await makeTemporaryFolder();
const ended = await fuzz(folder.path);
process.stdout.write(`${MUTATIONS} mutated manifests ended ${ended} times a child\n`);
if (ended > 0) process.exitCode = 1;

if (skipWithoutSharedData('c2pa-writers') === false) {
  const signed = ['ChatGPT_Image.png', 'Firefly_tabby_cat.jpg', 'cloudscape-ACA-Cr.jpeg'];
  const others = ['nikon-20221019-building.jpeg', 'truepic-20230212-camera.jpg'];
  const medians: number[] = [];
  for (const name of [...signed, ...others]) {
    const mime = name.endsWith('png') ? 'image/png' : 'image/jpeg';
    const ms = await medianMs(sharedData('c2pa-writers', name), mime);
    medians.push(ms);
    process.stdout.write(`${name}: ${ms.toFixed(1)} ms\n`);
  }
  const median = medians.toSorted((a, b) => a - b)[2] ?? Number.NaN;
  process.stdout.write(`with a manifest: ${median.toFixed(1)} ms (at most ${SIGNED_MS_MAX})\n`);
  if (median > SIGNED_MS_MAX) process.exitCode = 1;
}
const large = join(folder.path, 'large.jpg');
await writeFile(large, await patternImage(4000, 3000).jpeg().toBuffer());
await writeFile(join(folder.path, 'plain.jpg'), await plainPicture());
for (const name of ['plain.jpg', 'large.jpg']) {
  const ms = await medianMs(join(folder.path, name), 'image/jpeg');
  const { length } = await readFile(join(folder.path, name));
  process.stdout.write(
    `without a manifest, ${length} bytes: ${ms.toFixed(2)} ms (at most ${UNSIGNED_MS_MAX})\n`,
  );
  if (ms > UNSIGNED_MS_MAX) process.exitCode = 1;
}

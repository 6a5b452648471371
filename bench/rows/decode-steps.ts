/** The steps of a decode child alone: processor time of each, in this process, one picture after the other. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isImagePack } from '../../src/domain/packs/model-pack.ts';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { planPatchSets, requestsOf } from '../../src/engine/analyses/image-patches.ts';
import { DECODE_LIMITS } from '../../src/engine/decode/decode-limits.ts';
import { findPacks } from '../../src/engine/packs/installed-packs.ts';
import { decodeImage } from '../../src/worker/decode-image.ts';
import { describeKept } from '../../src/worker/describe-picture.ts';
import type { DecodeImageRequest } from '../../src/worker/protocol/decode-protocol.ts';
import { probe } from '../../src/worker/steps/probe.ts';
import { makeTemporaryFolder } from '../../test/temporary-folder.ts';
import { makeMix } from '../photos.ts';
import { type Row, RUNS } from '../row.ts';

const MODELS = join(import.meta.dirname, '..', '..', 'models');
const REPEATS_OF_LARGE = 3;

export async function measureDecodeSteps(): Promise<Row[]> {
  const { mix, large } = await makeMix();
  return [
    ...(await measureSteps('a picture of the mix', mix)),
    ...(await measureSteps(
      'of 12 MP',
      Array.from({ length: REPEATS_OF_LARGE }, () => large),
    )),
  ];
}

async function measureSteps(what: string, pictures: readonly Buffer[]): Promise<Row[]> {
  await using folder = await makeTemporaryFolder();
  for (const name of ['in', 'out']) mkdirSync(join(folder.path, name));
  const work = await workOf();
  const spent = new Map<string, number[]>();
  // The first run only warms up.
  for (let run = 0; run <= RUNS; run++) {
    const clock = new StepClock();
    for (const bytes of pictures) await lookAndDecode(bytes, work, folder.path, clock);
    if (run === 0) continue;
    for (const [step, milliseconds] of clock.spent)
      spent.set(step, [...(spent.get(step) ?? []), milliseconds / pictures.length]);
  }
  return Array.from(spent, ([step, runs]) => ({
    ...{ name: `${what}: ${step}`, unit: 'ms of a core', better: 'lower' },
    runs,
  }));
}

async function lookAndDecode(
  bytes: Buffer,
  work: DecodeImageRequest,
  folder: string,
  clock: StepClock,
): Promise<void> {
  writeFileSync(join(folder, 'in', work.input), bytes);
  clock.begin('the look at the upload');
  await probe(join(folder, 'in', work.input), work.limits);
  const report = (step: string) => clock.begin(step);
  await decodeImage(work, folder, { report, patched: () => {} });
  clock.begin('anew while nothing waits, for its keypoints');
  await describeKept({ ...work, type: 'describe-kept', isFrame: false }, folder);
  clock.end();
}

/** Processor time between the beginnings of steps, milliseconds. */
class StepClock {
  readonly spent = new Map<string, number>();
  #step = '';
  #since = process.cpuUsage();

  begin(step: string): void {
    this.end();
    this.#step = step;
    this.#since = process.cpuUsage();
  }

  end(): void {
    const { user, system } = process.cpuUsage(this.#since);
    if (this.#step === '') return;
    this.spent.set(this.#step, (this.spent.get(this.#step) ?? 0) + (user + system) / 1000);
    this.#step = '';
  }
}

/** What the decoder is asked for a picture whose origin is judged. */
async function workOf(): Promise<DecodeImageRequest> {
  const { installed } = await findPacks([MODELS]);
  const packs = installed.map(({ pack }) => pack).filter(isImagePack);
  const patchSets = requestsOf(planPatchSets(packs, { withMap: false, withStability: false }));
  const order = { id: 0, input: 'input', limits: DECODE_LIMITS, trust: NO_TRUST };
  return { ...order, type: 'decode-image', patchSets };
}

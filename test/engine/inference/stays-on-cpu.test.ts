/** Packs that stay on the CPU open there alone, whatever providers are set, and say so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { staysOnCpu } from '../../../src/domain/packs/model-pack.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../../src/engine/inference/inference-process.ts';
import {
  findDetector,
  findPacks,
  type InstalledPack,
  toLoadedPack,
} from '../../../src/engine/packs/installed-packs.ts';

const MODELS = join(import.meta.dirname, '../../../models');
const QUIET = { childReady() {}, childLost() {}, childSaid() {} };
/** The packs that find speech and write it down. */
const IDS = ['silero-vad', 'whisper-base'];

let installed: InstalledPack[];
before(async () => {
  const found = [await findPacks([MODELS]), await findDetector()];
  installed = found.flatMap((each) => each.installed);
});

test('these packs stay on the CPU, and no larger one', () => {
  const staying = installed.filter(({ pack }) => staysOnCpu(pack)).map(({ pack }) => pack.id);
  assert.deepEqual(
    staying.filter((id) => id !== 'whisper-small').sort(),
    IDS,
    'whisper-small is there where it was installed',
  );
});

test('packs that stay on the CPU are reported there, with a GPU named first and halves allowed', async () => {
  const packs = installed.filter(({ pack }) => IDS.includes(pack.id)).map((pack) => toLoadedPack(pack));
  const config = { ...INFERENCE_DEFAULTS, providers: ['cuda', 'cpu'], halfProviders: ['cuda'] };
  const late = packs.map((pack) => ({ ...pack, isCheckedLate: false }));
  await using child = new InferenceProcess(config, late, QUIET);
  const reports = await child.ready();
  assert.equal(reports.length, IDS.length);
  for (const { key, provider, precision, precisionNote, passedOver, fault } of reports) {
    assert.deepEqual([provider, precision, precisionNote, fault], ['cpu', 'full', null, null], key);
    assert.deepEqual(passedOver, [], `no provider was asked for ${key}`);
  }
});

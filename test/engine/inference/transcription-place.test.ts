/**
 * What writes down speech is opened on the CPU alone, whatever providers are set: it says so, also where another provider
 * comes first and works on this box or not.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { transcriptionPackSchema } from '../../../src/domain/packs/transcription-pack.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../../src/engine/inference/inference-process.ts';
import { packageFilesOf, toLoadedPack } from '../../../src/engine/packs/installed-packs.ts';

const MODELS = join(import.meta.dirname, '../../../models');
const QUIET = { childReady() {}, childLost() {}, childSaid() {} };

test('speech is written down on the CPU, and reported there, with a GPU named first and halves allowed', async () => {
  const text = await readFile(join(MODELS, 'whisper-base', 'model.json'), 'utf8');
  const pack = transcriptionPackSchema.parse(JSON.parse(text));
  const loaded = toLoadedPack({ pack, modelPath: join(packageFilesOf(pack).models, pack.file) });
  const config = { ...INFERENCE_DEFAULTS, providers: ['cuda', 'cpu'], halfProviders: ['cuda'] };
  await using child = new InferenceProcess(config, [{ ...loaded, isCheckedLate: false }], QUIET);
  const [report] = await child.ready();
  const { provider, precision, precisionNote, passedOver, fault } = report ?? assert.fail('no report');
  assert.deepEqual([provider, precision, precisionNote, fault], ['cpu', 'full', null, null]);
  assert.deepEqual(passedOver, [], 'no provider was asked');
});

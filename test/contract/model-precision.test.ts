import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

interface ShownModel {
  id: string;
  provider: string;
  precision: string;
  precisionNote: string | null;
  preparing: string | null;
}

const NOTE = 'cpu runs models in full precision only';

/** A pack that stays on the CPU is asked for no other precision. */
function noteOf(id: string): string | null {
  return id === 'silero-vad' ? null : NOTE;
}

async function modelsOf(daemon: OpenBox): Promise<ShownModel[]> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ appliance { models { id provider precision precisionNote preparing } } }',
    }),
  });
  return ((await response.json()) as { data: { appliance: { models: ShownModel[] } } }).data.appliance.models;
}

test('half precision that no provider of the box offers is reported', async (t) => {
  const providers = 'tensorrt,webgpu,cpu';
  await using packs = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  const env = {
    ...{ ASSAY_INFERENCE_PROVIDERS: providers, ASSAY_MODELS_FOLDERS: packs.path },
    ASSAY_INFERENCE_PRECISION: 'half_where_exact',
  };
  await using daemon = await openBox({ env });
  let models = await modelsOf(daemon);
  while (models.some(({ preparing }) => preparing !== null)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    models = await modelsOf(daemon);
  }
  if (models.some(({ provider }) => provider === 'webgpu')) return t.skip('this box has a GPU');
  assert.ok(models.length > 0);
  for (const { id, provider, precision, precisionNote } of models)
    assert.deepEqual([provider, precision, precisionNote], ['cpu', 'full', noteOf(id)], id);
  const { out: lines } = await daemon.assay('models', 'list', '--json');
  for (const line of lines.trim().split('\n')) {
    const { id = '', precision, precision_note: note } = JSON.parse(line) as Record<string, string>;
    assert.deepEqual([precision, note], ['full', noteOf(id) ?? '']);
  }
  for (const command of ['models', 'status', 'doctor']) {
    const { out } = await daemon.assay(command);
    assert.match(out.replace(/\s+/g, ' '), /cpu in full precision \(cpu runs models in full/, command);
    if (command === 'doctor')
      assert.match(out, /keeps it from tensorrt, or do not name that: tensorrt: .*; webgpu: /);
  }
});

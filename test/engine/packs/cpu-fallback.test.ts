import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packKey, staysOnCpu } from '../../../src/domain/packs/model-pack.ts';
import { PackShelf } from '../../../src/engine/packs/pack-shelf.ts';
import type { PackReport } from '../../../src/worker/protocol/inference-protocol.ts';

const MODELS = join(import.meta.dirname, '../../../models');
const OFF = 'cuda: the golden outputs differ by 0.0289 (number 24 of 61), at most 0.002 is allowed';
const NONE = 'cuda: CUDA failure 100: no CUDA-capable device is detected';

/** A shelf with all packs on the GPU but those that stay on the CPU; `fallen` says which fell back, and why. */
async function shelfWith(fallen: Readonly<Record<string, Partial<PackReport>>>): Promise<PackShelf> {
  const shelf = new PackShelf(false);
  await shelf.read([MODELS]);
  const reports = shelf.installed.map(({ pack }): PackReport => {
    const provider = staysOnCpu(pack) || pack.id in fallen ? 'cpu' : 'cuda';
    const place = { provider, precision: 'full' as const, precisionNote: null, passedOver: [] };
    return { key: packKey(pack), ...place, fault: null, goldenError: 0, loadMs: 0, ...fallen[pack.id] };
  });
  shelf.applyReports(reports);
  return shelf;
}

test('a box whose GPU runs all but what stays on the CPU is ready', async () => {
  const shelf = await shelfWith({});
  assert.ok(shelf.status().some(({ provider }) => provider === 'cpu'));
  assert.equal(shelf.describeCpuFallback(), null);
});

test('a box that is not ready says why of each model, and of models alike once', async () => {
  const shelf = await shelfWith({
    'face-detector': { passedOver: [OFF] },
    'assay-faces': { passedOver: [NONE] },
    nsfw: { passedOver: [NONE] },
  });
  assert.equal(
    shelf.describeCpuFallback(),
    `accelerator.require is gpu, and the CPU runs assay-faces, nsfw (${NONE}); face-detector (${OFF})`,
  );
});

test('a provider that is being prepared is named', async () => {
  const shelf = await shelfWith({ nsfw: { preparing: 'tensorrt since 2026-11-26T12:00:00.000Z' } });
  assert.match(shelf.describeCpuFallback() ?? '', /runs nsfw \(being prepared: tensorrt since 2026/);
});

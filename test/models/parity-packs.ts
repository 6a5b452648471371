/** The shipped packs in inference processes of a test's own, for what is held against training. */
import assert from 'node:assert/strict';
import type { ModelPack } from '../../src/domain/packs/model-pack.ts';
import { INFERENCE_DEFAULTS, InferenceProcess } from '../../src/engine/inference/inference-process.ts';
import { type InstalledPack, toLoadedPack } from '../../src/engine/packs/installed-packs.ts';

export async function startModels(found: readonly InstalledPack[]) {
  const quiet = { childReady: () => {}, childLost: () => {}, childSaid: () => {} };
  const model = new InferenceProcess(INFERENCE_DEFAULTS, found.map(toLoadedPack), quiet);
  for (const { provider, fault } of await model.ready()) assert.deepEqual([provider, fault], ['cpu', null]);
  return { model, [Symbol.asyncDispose]: async () => await model[Symbol.asyncDispose]() };
}

export function findPack(installed: readonly InstalledPack[], id: string): InstalledPack {
  return installed.find(({ pack }) => pack.id === id) ?? assert.fail(`${id} is not whole`);
}

/** Within the tolerance that the pack's golden outputs have. */
export function assertNear(
  found: ArrayLike<number>,
  { golden }: Pick<ModelPack, 'golden'>,
  expected: readonly number[],
): void {
  assert.equal(found.length, expected.length);
  const difference = Math.max(...expected.map((value, at) => Math.abs((found[at] ?? Number.NaN) - value)));
  assert.ok(difference <= golden.tolerance, `the logits differ by ${difference}`);
}

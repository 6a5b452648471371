/** The whole way: a labelled folder through a running daemon to figures and a picture. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Report } from '../../evaluate/report.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/main.ts');
const SIDE = 256;

/** The tiny models take bright pictures for artificial. */
const BRIGHTNESS = { human: [20, 60], artificial: [190, 230] } as const;

async function writePictures(folder: string): Promise<void> {
  for (const [label, levels] of Object.entries(BRIGHTNESS)) {
    for (const level of levels) {
      const source = join(folder, label, `source-${level}`);
      await mkdir(source, { recursive: true });
      const background = { r: level, g: level, b: level };
      const picture = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background } });
      await picture.jpeg().toFile(join(source, 'a.jpg'));
    }
  }
}

test('a labelled folder becomes figures, curves and a journal that is gone on with', async () => {
  await using packs = await makeTemporaryFolder();
  await using data = await makeTemporaryFolder();
  await using out = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  await writePictures(data.path);
  await using daemon = await TestDaemon.start({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const evaluate = async () => {
    const args = [ENTRY, '--data', data.path, '--out', out.path, '--tiers', '--json'];
    const env = { ...process.env, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
    return JSON.parse((await run(process.execPath, args, { env })).stdout) as Report;
  };

  const report = await evaluate();
  assert.deepEqual(report.failed, []);
  assert.deepEqual(
    report.tiers.map(({ tier, files, sources, figures }) => [tier, files, sources, figures.auc.value]),
    ['clean', 'web', 'hard'].map((tier) => [tier, 4, 4, 1]),
  );
  const [clean] = report.tiers;
  assert.equal(clean?.models.length, 2);
  assert.equal(clean?.figures.balancedAccuracy.value, 1);
  assert.match(await readFile(join(out.path, 'curves.svg'), 'utf8'), /^<svg .*ROC.*<\/svg>\n$/s);

  const journal = join(out.path, 'measurements.jsonl');
  const before = await readFile(journal, 'utf8');
  assert.equal(before.trim().split('\n').length, 1 + 12);
  assert.deepEqual(await evaluate(), report);
  assert.equal(await readFile(journal, 'utf8'), before);
});

test('what is missing is said in a sentence', async () => {
  const failing = run(process.execPath, [ENTRY, '--data', 'x', '--kind', 'film']);
  await assert.rejects(failing, ({ stderr, code }) => {
    assert.match(stderr, /^--kind: expected image or audio, found film\n/);
    return code === 2;
  });
});

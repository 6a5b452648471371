import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import { type Clip, comparePooling, cutIn, type PoolingRow, poolClip } from '../../evaluate/frame-pooling.ts';
import { openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeVideo } from '../media/make-media.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/video-rule.ts');

test('a clip is pooled by model, then over the models by weight', () => {
  const frames = { a: [0, 3, 1, -4], b: [-1, -1] };
  assert.equal(poolClip(frames, { a: 1, b: 1 }, { share: 1 / 2, countMin: 1 }), ((3 + 1) / 2 - 1) / 2);
  assert.equal(poolClip(frames, { a: 3, b: 1 }, { share: 0, countMin: 1 }), (3 * 3 - 1) / 4);
  assert.equal(poolClip({ ...frames, silent: [] }, { a: 1, b: 0 }, { share: 1, countMin: 1 }), 0);
  assert.equal(poolClip({ a: [0, 3, 1, -4] }, { a: 1 }, { share: 0, countMin: 2 }), 2);
});

test('a quarter of a composed clip is artificial', () => {
  const human = Array.from({ length: 12 }, () => -2);
  const { m = [] } = cutIn({ m: human }, { m: [4, 5, 6, 7, 8] });
  assert.deepEqual([m.length, m.filter((value) => value > 0)], [12, [4, 6, 8]]);
});

/** Human frames at −2 and artificial ones at 2, with one odd frame of a human clip where `odd`. */
function makeClips(odd: number): Clip[] {
  return Array.from({ length: 12 }, (_, index): Clip => {
    const isArtificial = index % 2 === 0;
    const level = (isArtificial ? 2 : -2) + index / 100;
    const m = Array.from({ length: 20 }, (_, frame) => (frame === 0 && !isArtificial ? odd : level));
    return { label: isArtificial ? 'artificial' : 'human', source: `source-${index}`, frames: { m } };
  });
}

const rowOf = (rows: readonly PoolingRow[], rule: string): PoolingRow =>
  rows.find((row) => row.rule === rule) ?? assert.fail(rule);

test('a mean over all frames hides what was cut in, the single frame accuses for an odd one', () => {
  const rows = comparePooling(makeClips(3), { m: 1 }, 200);
  const [one, fifth, all] = ['top 1', '1/5', 'all'].map((rule) => rowOf(rows, rule).figures);
  assert.equal(all?.cut_in.recall.value, 0);
  assert.equal(all?.whole.auc.value, 1);
  assert.equal(one?.whole.falseAlarms.value, 1);
  assert.deepEqual([fifth?.cut_in.recall.value, fifth?.whole.falseAlarms.value], [1, 0]);
  assert.equal(fifth?.cut_in.balancedAccuracy.value, 1);
  assert.deepEqual([one?.odd_frame.falseAlarms.value, fifth?.odd_frame.falseAlarms.value], [1, 0]);
  assert.equal(one?.cut_in_both.falseAlarms.value, 1);
  const { change, changeHigh } = all?.cut_in.balancedAccuracy ?? assert.fail();
  assert.deepEqual([change, changeHigh], [-0.5, -0.5]);
});

test('intervals are drawn over sources, the same each time', () => {
  const clips = makeClips(-2).map((clip, index) =>
    index === 0 ? { ...clip, frames: { m: [-3, -3, -3] } } : clip,
  );
  const { auc } = rowOf(comparePooling(clips, { m: 1 }, 200), '1/3').figures.whole;
  assert.ok(auc.low < auc.value && auc.value < auc.high, JSON.stringify(auc));
  assert.deepEqual(rowOf(comparePooling(clips, { m: 1 }, 200), '1/3').figures.whole.auc, auc);
  assert.throws(
    () =>
      comparePooling(
        clips.filter(({ label }) => label === 'human'),
        { m: 1 },
      ),
    { message: 'expected human clips of two sources and an artificial one' },
  );
});

test('clips through a running daemon become a table of shares', async () => {
  await using packs = await makeTemporaryFolder();
  await using data = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  for (const [label, levels] of Object.entries({ human: [20, 50], artificial: [200, 230] })) {
    for (const level of levels) {
      const paint = (index: number, rgb: Buffer) => void rgb.fill(level + index);
      const size = { seconds: 1, width: 320, height: 256, fps: 5, paint };
      const folder = join(data.path, label, `source-${level}`);
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, 'a.mp4'),
        makeVideo({ container: 'mp4', codec: FF_ENCODER_MPEG4, ...size }),
      );
    }
  }
  await using daemon = await openBox({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const env = { ...process.env, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  const args = [ENTRY, '--data', data.path, '--frames', '5', '--out', data.path];
  const { stdout } = await run(process.execPath, [...args, '--json'], { env });
  const { clips, failed, rows } = JSON.parse(stdout);
  assert.deepEqual([clips.length, failed], [4, []]);
  assert.deepEqual(
    Object.values((clips as Clip[])[0]?.frames ?? {}).map(({ length }) => length),
    [5, 5],
    'both models on every frame',
  );
  for (const { figures } of rows as PoolingRow[]) assert.equal(figures.whole.auc.value, 1);
  await assert.rejects(run(process.execPath, [...args.slice(0, 3), '--frames', '7'], { env }), ({ stderr }) =>
    /^--frames: expected 5, 10, 30, found 7\n/.test(stderr),
  );
});

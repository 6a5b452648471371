import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Demuxer } from 'node-av/api';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import type { Measurement } from '../../evaluate/measurement.ts';
import type { Report } from '../../evaluate/report.ts';
import { recompress } from '../../evaluate/video-tiers.ts';
import { openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeVideo, type VideoRecipe } from '../media/make-media.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/main.ts');

function clip(changes: Partial<VideoRecipe>): Buffer {
  const size = { seconds: 1, width: 320, height: 256, fps: 5 };
  return makeVideo({ container: 'mp4', codec: FF_ENCODER_MPEG4, ...size, ...changes });
}

async function sidesAndRate(bytes: Buffer): Promise<[number, number, number]> {
  await using input = await Demuxer.open(bytes);
  const video = input.video() ?? assert.fail('no video');
  const { num, den } = video.avgFrameRate;
  return [video.codecpar.width, video.codecpar.height, num / den];
}

test('a video is written again upright, no larger and no faster than 480 lines and 12 frames a second', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'a.mp4');
  const cases: [Partial<VideoRecipe>, [number, number, number]][] = [
    [{ width: 1280, height: 720, fps: 30 }, [854, 480, 12]],
    [{ width: 640, height: 1138, fps: 25 }, [480, 854, 12]],
    [{ width: 320, height: 256, fps: 8 }, [320, 256, 8]],
    [{ width: 320, height: 256, fps: 8, rotation: 90 }, [256, 320, 8]],
  ];
  for (const [recipe, expected] of cases) {
    await writeFile(path, clip(recipe));
    assert.deepEqual(await sidesAndRate(await recompress(path)), expected, JSON.stringify(recipe));
  }
});

test('a file that is no video is reported in a sentence', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'a.mp4');
  await writeFile(path, 'nothing');
  await assert.rejects(recompress(path), { message: /^it could not be recompressed: / });
});

/** The tiny models take bright frames for artificial. */
const CLIPS = [
  { file: 'human/e-src.mp4', source: 'e-src', family: 'pipeline', level: 20, fps: 15 },
  { file: 'human/b.mp4', source: 'b', family: 'street', level: 50, fps: 5 },
  { file: 'artificial/e.mp4', source: 'e', family: 'v2v', level: 200, fps: 15 },
  { file: 'artificial/d.mp4', source: 'd', family: 't2v', level: 230, fps: 5 },
];

async function writeClips(folder: string): Promise<void> {
  const rows = CLIPS.map(({ file, source, family, fps }) =>
    [dirname(file), source, family, file, fps].join('\t'),
  );
  await writeFile(join(folder, 'files.tsv'), `label\tsource\tfamily\tfile\tfps\n${rows.join('\n')}\n`);
  for (const { file, level, fps } of CLIPS) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), clip({ fps, paint: (index, rgb) => void rgb.fill(level + index) }));
  }
}

test('clips become figures in both tiers, on fast clips and between edits and originals', async () => {
  await using packs = await makeTemporaryFolder();
  await using data = await makeTemporaryFolder();
  await using out = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  await writeClips(data.path);
  await using daemon = await openBox({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const env = { ...process.env, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
  const args = [ENTRY, '--data', data.path, '--kind', 'video', '--out', out.path, '--tiers'];
  const { stdout } = await run(process.execPath, args, { env });
  assert.match(stdout, /no clip has sound that was judged: nothing is measured of tracks/);
  const report = JSON.parse(await readFile(join(out.path, 'figures.json'), 'utf8')) as Report;
  assert.deepEqual(report.failed, []);
  assert.deepEqual(
    report.tiers.map(({ tier, files, figures }) => [tier, files, figures.auc.value]),
    [
      ['clean', 4, 1],
      ['recompressed', 4, 1],
    ],
  );
  for (const { subsets, pairs, withTrack } of report.tiers) {
    assert.deepEqual([subsets[0]?.files, pairs?.names, pairs?.auc.value, withTrack], [2, ['e'], 1, 0]);
  }
  const [, ...lines] = (await readFile(join(out.path, 'measurements.jsonl'), 'utf8')).trim().split('\n');
  const measured = lines.map((line) => JSON.parse(line) as Measurement);
  assert.deepEqual(new Set(measured.map(({ shortSide }) => shortSide)), new Set([256]));
});

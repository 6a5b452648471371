/** The whole way: a labelled folder through a running daemon to figures and a picture. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Report } from '../../evaluate/report.ts';
import { RULES_VERSION } from '../../src/domain/verdicts/rules-version.ts';
import { openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { COARSE_MODEL, writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../evaluate/main.ts');
const SIDE = 256;

const PNG_LEVEL = 20;

/** The tiny models take bright pictures for artificial. */
const BRIGHTNESS = { human: [20, 60], artificial: [190, 230] } as const;

const nameOf = (level: number): string => (level === PNG_LEVEL ? 'a.png' : 'a.jpg');

async function writePictures(folder: string): Promise<void> {
  for (const [label, levels] of Object.entries(BRIGHTNESS)) {
    for (const level of levels) {
      const source = join(folder, label, `source-${level}`);
      await mkdir(source, { recursive: true });
      const background = { r: level, g: level, b: level };
      const picture = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background } });
      // Lossless pictures stay lossless: the clean tier is the file itself.
      await picture.toFile(join(source, nameOf(level)));
    }
  }
}

/** The hash of the data as `docs` describes it. */
async function hashOfData(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const label of ['artificial', 'human'] as const) {
    for (const level of BRIGHTNESS[label]) {
      const path = `${label}/source-${level}/${nameOf(level)}`;
      const own = createHash('sha256').update(await readFile(join(folder, path)));
      lines.push(`${label}\tsource-${level}\t${path}\t${own.digest('hex')}\n`);
    }
  }
  return createHash('sha256').update(lines.join('')).digest('hex');
}

test('a labelled folder becomes figures, curves and a journal that is gone on with', async () => {
  await using packs = await makeTemporaryFolder();
  await using data = await makeTemporaryFolder();
  await using out = await makeTemporaryFolder();
  await writeTinyPacks(packs.path);
  await writePictures(data.path);
  await using daemon = await openBox({ env: { ASSAY_MODELS_FOLDERS: packs.path } });
  const evaluate = async () => {
    const args = [ENTRY, '--data', data.path, '--out', out.path, '--tiers', '--keep-records', '--json'];
    const env = { ...process.env, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY };
    return JSON.parse((await run(process.execPath, args, { env })).stdout) as Report;
  };

  const report = await evaluate();
  assert.deepEqual(report.failed, []);
  assert.deepEqual(
    report.tiers.map(({ tier, files, sources, figures }) => [tier, files, sources, figures.auc.value]),
    ['clean', 'web', 'hard'].map((tier) => [tier, 4, 4, 1]),
  );
  const { format, command, data: measured, rounds, rulesVersions } = report;
  assert.deepEqual([format, measured.files, measured.sources, rulesVersions], [1, 4, 4, [RULES_VERSION]]);
  assert.match(command, /^npm run evaluate -- --data \S+ --out \S+ --tiers --keep-records --json$/);
  assert.deepEqual(
    rounds.map(({ fold, files }) => [fold, files]),
    [[null, 4]],
  );
  const model = await readFile(join(packs.path, COARSE_MODEL.id, 'model.onnx'));
  const sha256 = createHash('sha256').update(model).digest('hex');
  assert.equal(rounds[0]?.packs.find(({ id }) => id === COARSE_MODEL.id)?.sha256, sha256);
  assert.equal(measured.sha256, await hashOfData(data.path));
  const [clean] = report.tiers;
  assert.equal(clean?.models.length, 2);
  assert.equal(clean?.figures.balancedAccuracy.value, 1);
  assert.match(await readFile(join(out.path, 'curves.svg'), 'utf8'), /^<svg .*ROC.*<\/svg>\n$/s);

  const png = await readFile(join(data.path, 'human', `source-${PNG_LEVEL}`, 'a.png'));
  const query = '{ classifications(first: 20) { nodes { hash mime } } }';
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { nodes } = ((await response.json()) as { data: { classifications: { nodes: object[] } } }).data
    .classifications;
  assert.equal(nodes.length, 12);
  const whole = { hash: createHash('sha256').update(png).digest('hex'), mime: 'image/png' };
  assert.deepEqual(
    nodes.filter((node) => 'mime' in node && node.mime === 'image/png'),
    [whole],
    'the clean tier is the file, byte for byte',
  );

  const journal = join(out.path, 'measurements.jsonl');
  const before = await readFile(journal, 'utf8');
  assert.equal(before.trim().split('\n').length, 1 + 12);
  assert.deepEqual(await evaluate(), report);
  assert.equal(await readFile(journal, 'utf8'), before);
});

test('an unknown kind is refused in a sentence', async () => {
  const failing = run(process.execPath, [ENTRY, '--data', 'x', '--kind', 'film']);
  await assert.rejects(failing, ({ stderr, code }) => {
    assert.match(stderr, /^--kind: expected image, audio, video, found film\n/);
    return code === 2;
  });
});

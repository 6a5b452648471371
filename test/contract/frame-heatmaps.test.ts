import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FF_ENCODER_MPEG4 } from 'node-av/constants';
import sharp from 'sharp';
import { type OpenBox, openBox } from '../app/open-box.ts';
import { TEST_KEY } from '../daemon.ts';
import { makeVideo } from '../media/make-media.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const KEY = { 'x-api-key': TEST_KEY };
const SIZE = { width: 426, height: 240 };
const LEGEND_HEIGHT = 32;

let daemon: OpenBox;

before(async () => {
  daemon = await openBox({ models: 'tiny' });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

function film(seconds: number): Buffer {
  const pattern = patternRgb(SIZE.width, SIZE.height);
  const paint = (_index: number, rgb: Buffer) => void pattern.copy(rgb);
  return makeVideo({ container: 'mp4', codec: FF_ENCODER_MPEG4, seconds, fps: 10, ...SIZE, paint });
}

async function runAssay(...args: string[]): Promise<{ identifier: string; has_heatmap: boolean }> {
  const { out } = await daemon.assay(...args, '--json');
  return JSON.parse(out);
}

interface RestFrame {
  identifier: string;
  has_heatmap: boolean;
}

async function readByRest(identifier: string): Promise<{ status: string; frames: RestFrame[] }> {
  const response = await fetch(`${daemon.http}/api/classification_video/${identifier}`, { headers: KEY });
  const { status, results } = (await response.json()) as { status: string; results: { images: RestFrame[] } };
  return { status, frames: results.images };
}

test('each frame of a video has its map, by gRPC, by GraphQL and on the command line', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'film.mp4');
  await writeFile(path, film(3));
  const maps = join(folder.path, 'maps');
  const { identifier } = await runAssay('classify', path, '--frames', '5', '--with-heatmap');
  const { frames } = await readByRest(identifier);
  assert.deepEqual(
    frames.map(({ has_heatmap }) => has_heatmap),
    [false, false, false, false, false],
    'REST never names them',
  );
  const [first] = frames;
  assert.ok(first !== undefined);
  const saved = await runAssay('get', first.identifier, '--heatmap-dir', maps);
  assert.equal(saved.has_heatmap, true);
  const query = `{ classification(identifier: "${first.identifier}") {
    ... on ImageClassification { hasHeatmap heatmapUrl } } }`;
  const answer = await fetch(`${daemon.http}/graphql`, {
    ...{ method: 'POST', headers: { ...KEY, 'content-type': 'application/json' } },
    body: JSON.stringify({ query }),
  });
  const { data } = (await answer.json()) as { data: { classification: { heatmapUrl: string } } };
  const byUrl = await fetch(data.classification.heatmapUrl, { headers: KEY });
  assert.equal(byUrl.headers.get('content-type'), 'image/png');
  const png = Buffer.from(await byUrl.arrayBuffer());
  const { width, height } = await sharp(png).metadata();
  assert.deepEqual({ width, height }, { ...SIZE, height: SIZE.height + LEGEND_HEIGHT });
  const [file] = readdirSync(maps);
  assert.deepEqual(await readFile(join(maps, file ?? '')), png);
});

test('on REST a video’s heatmap is a field that does not exist', async () => {
  const form = new FormData();
  form.set('video', new Blob([new Uint8Array(film(2))]), 'film.mp4');
  for (const [name, value] of Object.entries({ frames: '5', with_heatmap: 'true' })) form.set(name, value);
  const url = `${daemon.http}/api/classification_video`;
  const response = await fetch(url, { method: 'POST', headers: KEY, body: form });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  for (;;) {
    const { status, frames } = await readByRest(identifier);
    if (status === 'new') await new Promise((resolve) => setTimeout(resolve, 100));
    else {
      assert.equal(status, 'done');
      const map = `${daemon.http}/api/classification/heatmap/${frames[0]?.identifier}`;
      assert.equal((await fetch(map, { headers: KEY })).status, 404);
      return;
    }
  }
});

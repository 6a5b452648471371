/** The search for edits through a daemon, with the shipped pack: the verdict on the origin does not move. */
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { runCommand } from '../../cli/run-command.ts';
import { TEST_KEY } from '../../daemon.ts';
import { KEY_HEADERS, until } from '../../faults/rounds/submissions.ts';
import { makeClip } from '../../interface/media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { type OpenBox, openBox } from '../open-box.ts';

const BUILT_IN = join(import.meta.dirname, '../../../models');
const PACK = 'assay-tampering';
const [WIDTH, HEIGHT] = [640, 480];
/** A region that is blurred after noise: as plain an edit as can be made. */
const EDIT = { left: 160, top: 120, width: 200, height: 160 };

let folder: TemporaryFolder;
let daemon: OpenBox;

before(async () => {
  folder = await makeTemporaryFolder();
  const env = { ASSAY_MODELS_FOLDERS: BUILT_IN, ASSAY_ANALYSIS_STABILITY: 'false' };
  daemon = await openBox({ env });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Noise over a slope, by a rule, so that all runs see the same picture. */
function makeNoisy(): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  let state = 1;
  for (let index = 0; index < rgb.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const x = Math.floor(index / 3) % WIDTH;
    rgb[index] = 70 + (x * 100) / WIDTH + (state >>> 28);
  }
  return rgb;
}

async function makePictures(): Promise<{ plain: Buffer; edited: Buffer }> {
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 as const };
  const plain = makeNoisy();
  const part = await sharp(plain, { raw }).extract(EDIT).blur(3).png().toBuffer();
  const { left, top } = EDIT;
  const edited = await sharp(plain, { raw })
    .composite([{ input: part, left, top }])
    .png()
    .toBuffer();
  return { plain: await sharp(plain, { raw }).png().toBuffer(), edited };
}

/** Each test names the fields that it expects. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Body = any;

async function classify(kind: 'image' | 'video', bytes: Uint8Array, options: object): Promise<Body> {
  const path = kind === 'image' ? '/api/classification' : '/api/classification_video';
  const body = new FormData();
  body.set(kind, new Blob([Uint8Array.from(bytes)]), 'file');
  for (const [name, value] of Object.entries(options)) body.set(name, value);
  const response = await fetch(`${daemon.http}${path}`, { method: 'POST', headers: KEY_HEADERS, body });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  const read = async () =>
    (await fetch(`${daemon.http}${path}/${identifier}`, { headers: KEY_HEADERS })).json() as Promise<Body>;
  await until(async () => (await read()).status !== 'new', `${identifier} to end`);
  const record = await read();
  assert.equal(record.status, 'done', record.errors);
  return record;
}

async function ask(query: string): Promise<Body> {
  const headers = { ...KEY_HEADERS, 'content-type': 'application/json' };
  const response = await fetch(`${daemon.http}/graphql`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as Body;
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

async function fetchMap(identifier: string, layer: string): Promise<Response> {
  return await fetch(`${daemon.http}/media/${identifier}/heatmap?layer=${layer}`, { headers: KEY_HEADERS });
}

/** Mean of red less blue: positive where a map says edited. */
async function redness(
  png: Buffer,
  area: { left: number; top: number; width: number; height: number },
): Promise<number> {
  const { channels } = await sharp(await sharp(png).extract(area).toBuffer()).stats();
  return (channels[0]?.mean ?? 0) - (channels[2]?.mean ?? 0);
}

test('tampering has its own entry, a sentence and both maps; the verdict on the origin stays', async () => {
  const { edited } = await makePictures();
  const plainly = await classify('image', edited, {});
  const record = await classify('image', edited, { with_tampering: 'true' });
  const names = record.results.map(({ model }: Body) => model);
  const added = record.results.find(({ model }: Body) => model.startsWith(PACK));
  assert.equal(record.results.length, plainly.results.length + 1, names.join());
  assert.deepEqual(added.classification.map(({ label }: Body) => label).sort(), ['artificial', 'human']);
  const verdictOf = ({ confidence, classification, models }: Body) => ({
    confidence,
    classification,
    models,
  });
  assert.deepEqual(record.verdicts.map(verdictOf), plainly.verdicts.map(verdictOf));
  assert.equal(record.has_heatmap, false);

  const { classification } = await ask(
    `{ classification(identifier: "${record.identifier}") { assessment { reasons { code sentence } }
      ... on ImageClassification { heatmapLayers heatmapUrl tampering: heatmapUrl(layer: TAMPERING)
        results { axis } } } }`,
  );
  assert.deepEqual(classification.heatmapLayers, ['TAMPERING', 'TAMPERING_RELIABILITY']);
  assert.equal(classification.heatmapUrl, null);
  assert.match(classification.tampering, /\/media\/.*layer=tampering$/);
  assert.ok(classification.results.some(({ axis }: Body) => axis === 'edited'));
  const codes = classification.assessment.reasons.map(({ code }: Body) => code);
  assert.ok(
    codes.some((code: string) => /EDITING/.test(code)),
    codes.join(),
  );

  const map = Buffer.from(await (await fetchMap(record.identifier, 'tampering')).arrayBuffer());
  const { width, height } = await sharp(map).metadata();
  assert.deepEqual([width, height], [WIDTH, HEIGHT + 32]);
  const far = { left: 440, top: 330, width: 180, height: 130 };
  assert.ok((await redness(map, EDIT)) > (await redness(map, far)) + 20);
  const reliability = await fetchMap(record.identifier, 'tampering_reliability');
  assert.equal(reliability.headers.get('content-type'), 'image/png');
  assert.equal((await fetchMap(record.identifier, 'origin')).status, 404);
  assert.equal((await fetchMap(record.identifier, 'else')).status, 400);
});

test('the command line asks for tampering and saves the maps, by gRPC', async () => {
  const { edited } = await makePictures();
  const path = join(folder.path, 'desk.png');
  await writeFile(path, edited);
  const maps = join(folder.path, 'maps');
  const argv = ['classify', path, '--with-tampering', '--no-cache', '--heatmap-dir', maps, '--json'];
  const { code, out, err } = await runCommand({ address: daemon.grpc, key: TEST_KEY }, argv);
  assert.equal(code, 0, err);
  const record = JSON.parse(out);
  assert.deepEqual(record.heatmap_layers, [
    'HEATMAP_LAYER_ORIGIN',
    'HEATMAP_LAYER_TAMPERING',
    'HEATMAP_LAYER_TAMPERING_RELIABILITY',
  ]);
  assert.ok(record.results.some(({ axis }: Body) => axis === 'AXIS_EDITED'));
  const saved = ['heatmap', 'tampering', 'tampering-reliability'].map((name) => `desk.png.${name}.png`);
  assert.deepEqual((await readdir(maps)).sort(), saved.sort());
  for (const name of saved) assert.equal((await sharp(join(maps, name)).metadata()).width, WIDTH);
});

test('an untouched picture is not called edited', async () => {
  const { plain } = await makePictures();
  const { results } = await classify('image', plain, { with_tampering: 'true' });
  const entry = results.find(({ model }: Body) => model.startsWith(PACK));
  const { score } = entry.classification.find(({ label }: Body) => label === 'artificial');
  assert.ok(score < 0.5, String(score));
});

test('a small picture is judged too', async () => {
  const { edited } = await makePictures();
  const small = await sharp(edited).extract({ left: 100, top: 80, width: 203, height: 181 }).png().toBuffer();
  const record = await classify('image', small, { with_tampering: 'true' });
  const entry = record.results.find(({ model }: Body) => model.startsWith(PACK));
  assert.equal(entry.unknown, false);
  const map = await fetchMap(record.identifier, 'tampering');
  const { width, height } = await sharp(Buffer.from(await map.arrayBuffer())).metadata();
  assert.deepEqual([width, height], [203, 181 + 32]);
});

test('the frames of a video get their entries', async () => {
  const { results } = await classify('video', makeClip(), { with_tampering: 'true', frames: '5' });
  assert.equal(results.images.length, 5);
  for (const image of results.images) {
    assert.ok(image.results.some(({ model }: Body) => model.startsWith(PACK)));
    assert.ok(image.verdict.models.every((model: string) => !model.startsWith(PACK)));
  }
});

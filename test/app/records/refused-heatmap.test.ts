import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { credentials, status } from '@grpc/grpc-js';
import sharp from 'sharp';
import { AssayClient } from '../../../src/cli/daemon/client.ts';
import { CliFailure } from '../../../src/cli/terminal/failure.ts';
import { ClassificationService } from '../../../src/grpc/gen/assay/v1/classification_service_pb.ts';
import { runCommand } from '../../cli/run-command.ts';
import { TEST_KEY } from '../../daemon.ts';
import { KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { makeVideo } from '../../media/make-media.ts';
import { patternImage } from '../../media/pictures.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../../temporary-folder.ts';
import { type OpenBox, openBox } from '../open-box.ts';

const [WIDTH, HEIGHT] = [320, 240];

let folder: TemporaryFolder;
let daemon: OpenBox;

before(async () => {
  folder = await makeTemporaryFolder();
  const packs = join(import.meta.dirname, '../../../models');
  const env = { ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' };
  daemon = await openBox({ env });
});

after(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

function noise(): Promise<Buffer> {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  let state = 1;
  for (let index = 0; index < rgb.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    rgb[index] = state >>> 24;
  }
  return sharp(rgb, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png()
    .toBuffer();
}

function flat(): Promise<Buffer> {
  const create = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: '#808080' };
  return sharp({ create }).png().toBuffer();
}

interface Saved {
  identifier: string;
  has_heatmap: boolean;
  heatmap_layers?: string[];
  results: { model: string; unknown?: boolean }[];
  video?: { images: Saved[] };
}

async function classify(name: string, bytes: Buffer, ...options: string[]): Promise<Saved> {
  const path = join(folder.path, name);
  await writeFile(path, bytes);
  const argv = ['classify', path, '--with-heatmap', '--json', ...options];
  const { code, out, err } = await runCommand({ address: daemon.grpc, key: TEST_KEY }, argv);
  assert.equal(code, 0, err);
  return JSON.parse(out) as Saved;
}

/** What each way in says of the picture's map. */
async function askEverywhere(identifier: string) {
  const url = `${daemon.http}/api/classification`;
  const record = await fetch(`${url}/${identifier}`, { headers: KEY_HEADERS });
  const { has_heatmap } = (await record.json()) as { has_heatmap: boolean };
  const map = await fetch(`${url}/heatmap/${identifier}`, { headers: KEY_HEADERS });
  await map.arrayBuffer();
  const query = `{ classification(identifier: "${identifier}") {
    ... on ImageClassification { hasHeatmap heatmapUrl heatmapLayers } } }`;
  const answer = await fetch(`${daemon.http}/graphql`, {
    ...{ method: 'POST', headers: { ...KEY_HEADERS, 'content-type': 'application/json' } },
    body: JSON.stringify({ query }),
  });
  const { data } = (await answer.json()) as { data: { classification: object } };
  return {
    rest: [has_heatmap, map.status],
    graphql: data.classification,
    grpc: await receiveMap(identifier),
  };
}

/** Returns the status of the call. */
async function receiveMap(identifier: string): Promise<number> {
  const channel = { address: daemon.grpc, credentials: credentials.createInsecure() };
  using client = new AssayClient(channel, TEST_KEY);
  try {
    const chunks = client.receive(ClassificationService.method.getHeatmap, { identifier });
    for await (const { chunk } of chunks) assert.ok(chunk.length > 0);
    return status.OK;
  } catch (error) {
    assert.ok(error instanceof CliFailure, String(error));
    return (error.cause as { code: number }).code;
  }
}

for (const [name, make] of Object.entries({ flat, noise })) {
  test(`a ${name} picture has no map on any way in`, async () => {
    const { identifier, results } = await classify(`${name}.png`, await make());
    assert.ok(
      results.length > 0 && results.every(({ unknown }) => unknown === true),
      JSON.stringify(results),
    );
    const said = await askEverywhere(identifier);
    assert.deepEqual(said.rest, [false, 404]);
    assert.deepEqual({ ...said.graphql }, { hasHeatmap: false, heatmapUrl: null, heatmapLayers: [] });
    assert.equal(said.grpc, status.NOT_FOUND);
  });
}

test('a picture that a detector answers for has one', async () => {
  const picture = await patternImage(WIDTH, HEIGHT).jpeg().toBuffer();
  const { identifier, results } = await classify('pattern.jpg', picture);
  assert.ok(results.some(({ unknown }) => unknown !== true));
  const said = await askEverywhere(identifier);
  assert.deepEqual([said.rest, said.grpc], [[true, 200], status.OK]);
});

test('a flat frame of a video has no map', async () => {
  const paint = (_index: number, rgb: Buffer) => void rgb.fill(128);
  const size = { seconds: 1, width: WIDTH, height: HEIGHT, fps: 5 };
  const film = makeVideo({ container: 'mp4', codec: 'mpeg4', ...size, paint } as Parameters<
    typeof makeVideo
  >[0]);
  const { video } = await classify('film.mp4', film, '--frames', '5');
  assert.ok((video?.images.length ?? 0) > 0);
  for (const image of video?.images ?? []) assert.equal(image.has_heatmap, false);
});

/** What the image models are not asked about, measured on the patches that they would score. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RefusedTexture, refuseTexture } from '../../src/domain/media/resized-view.ts';
import { writePatchSet } from '../../src/worker/steps/patches.ts';
import { TextureMeter } from '../../src/worker/steps/texture.ts';
import { patternRgb } from '../media/pictures.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const RULE = { lumaVarianceMin: 4, neighbourCorrelationMin: 0.2, equalShareMax: 0.8 };
const SIDE = 256;
const SET = { name: 'a', variant: 'original', layout: { size: 128, align: 8, countMax: 16 } } as const;

type Colour = (x: number, y: number) => number;

function paint(red: Colour, green = red, blue = red): Buffer {
  const rgb = Buffer.alloc(SIDE * SIDE * 3);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      for (const [channel, colour] of [red, green, blue].entries()) {
        rgb[(y * SIDE + x) * 3 + channel] = colour(x, y);
      }
    }
  }
  return rgb;
}

async function refusalOf(rgb: Buffer): Promise<RefusedTexture | null> {
  await using folder = await makeTemporaryFolder();
  const picture = { width: SIDE, height: SIDE, rgb };
  const set = await writePatchSet(picture, { ...SET, withTexture: true }, folder.path);
  assert.ok(set?.texture !== undefined);
  return refuseTexture(RULE, set.texture);
}

/** A bar chart: white ground, bars of one colour. */
const chart: Colour = (x, y) => (x % 32 < 20 && y > 40 + (((x >> 5) * 37) % 150) ? 90 : 255);
let state = 1;
const noise: Colour = () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state >>> 24;
};

const CASES: { name: string; rgb: Buffer; refusal: RefusedTexture | null }[] = [
  { name: 'one colour', rgb: paint(() => 120), refusal: 'flat' },
  { name: 'noise', rgb: paint(noise), refusal: 'noise' },
  { name: 'a chart', rgb: paint(chart), refusal: 'flat_colours' },
  { name: 'a picture', rgb: patternRgb(SIDE, SIDE), refusal: null },
];

for (const { name, rgb, refusal } of CASES) {
  test(`${name} is ${refusal === null ? 'judged' : 'refused'}`, async () => {
    const found = await refusalOf(rgb);
    assert.equal(found, refusal);
  });
}

test('regions are measured each about its own mean, and neighbours never across a border', () => {
  const meter = new TextureMeter();
  meter.add(Buffer.alloc(12, 10), 2);
  meter.add(Buffer.alloc(12, 200), 2);
  assert.deepEqual(meter.texture, { lumaVariance: 0, neighbourCorrelation: 0, equalShare: 1 });
  const steps = new TextureMeter();
  // Two rows of black, white: the pairs are opposite, and the row's end is no neighbour of the next row's start.
  steps.add(Buffer.from([0, 0, 0, 200, 200, 200, 200, 200, 200, 0, 0, 0]), 2);
  assert.equal(steps.texture.neighbourCorrelation, -1);
  assert.equal(steps.texture.equalShare, 0);
  assert.ok(Math.abs(steps.texture.lumaVariance - 10_000) < 1e-6);
});

test('a set gives no texture unless it is asked for', async () => {
  await using folder = await makeTemporaryFolder();
  const picture = { width: SIDE, height: SIDE, rgb: paint(() => 120) };
  const set = await writePatchSet(picture, SET, folder.path);
  assert.equal(set?.texture, undefined);
});

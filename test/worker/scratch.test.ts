/** Memory that is taken again or given back changes no answer: what stood in it for one picture is not seen in the next. */
import { deepEqual, equal, notEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { makeRandom } from '../../evaluate/random.ts';
import { describePixels } from '../../src/worker/describe-picture.ts';
import { endPicture } from '../../src/worker/kept-picture.ts';
import type { Picture } from '../../src/worker/media/picture.ts';
import { giveBack, giveBackPicture, Scratch } from '../../src/worker/media/scratch.ts';
import { TextureMeter } from '../../src/worker/steps/texture.ts';

function makePicture(seed: number, width: number, height: number): Picture {
  const random = makeRandom(seed);
  const tiles = Array.from({ length: 4096 }, () => random() * 256);
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < rgb.length; at++) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    rgb[at] = tiles[((x >> 4) * 7 + (y >> 4) * 131 + (at % 3)) % tiles.length] as number;
  }
  return { width, height, rgb };
}

test('a picture is described alike before and after a larger one', async () => {
  const describe = async (picture: Picture) => {
    const meter = new TextureMeter();
    meter.add(picture.rgb, picture.width);
    return [await describePixels(picture, 400), meter.texture];
  };
  const small = makePicture(1, 320, 200);
  const before = await describe(small);
  notEqual(before[0], null);
  await describe(makePicture(2, 1500, 1100));
  deepEqual(await describe(small), before);
});

test('memory is reused if it is large enough, and not kept for a picture that is larger than most', () => {
  const scratch = new Scratch();
  const first = scratch.floats(1000);
  equal(scratch.words(900).buffer, first.buffer);
  const large = scratch.doubles(1024 ** 2);
  equal(large.length, 1024 ** 2);
  equal(scratch.shorts(10).buffer, first.buffer);
});

test('a large buffer is given back; a small one, whose memory is shared, is left alone', () => {
  const large = Buffer.alloc(1024 ** 2, 1);
  giveBack(large);
  equal(large.length, 0);
  const small = Buffer.from('shared');
  giveBack(small);
  equal(small.toString(), 'shared');
});

test('a picture that was given back cannot be read as an empty one, whether large or small', () => {
  for (const [width, height] of [
    [1500, 1100],
    [4, 4],
  ] as const) {
    const picture = makePicture(1, width, height);
    giveBackPicture(picture);
    throws(() => picture.rgb, /given back/);
    const meter = new TextureMeter();
    throws(() => meter.add(picture.rgb, width), /given back/);
  }
});

test('the picture that was decoded last ends in an error too, once another one takes its place', () => {
  const [first, second] = [makePicture(1, 320, 200), makePicture(2, 320, 200)];
  endPicture('first', first, { isKept: true });
  equal(first.rgb.length, 320 * 200 * 3);
  endPicture('second', second, { isKept: false });
  for (const picture of [first, second]) throws(() => picture.rgb, /given back/);
});

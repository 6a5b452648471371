import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FF_ENCODER_LIBX264 } from 'node-av/constants';
import sharp from 'sharp';
import { KEY_HEADERS } from '../../faults/rounds/submissions.ts';
import { makeVideo } from '../../media/make-media.ts';
import { sharedData, skipWithoutSharedData } from '../../shared-data.ts';
import { type OpenBox, openBox } from '../open-box.ts';

const skip = skipWithoutSharedData('face');
const SIZE = { width: 480, height: 360 };
const FPS = 10;
const SECONDS = 12;
const FRAMES = 5;
const POLL_MS = 100;
/** The middle of each fifth; three samples of it are the middle and a third of the fifth to either side. */
const REGULAR = [1.2, 3.6, 6, 8.4, 10.8];
/** The face is seen before the first time, at the third, and after the fourth. */
const SHOWN = [
  [0.1, 0.7],
  [5.5, 6.5],
  [9, 9.5],
] as const;
const EXPECTED = [0.4, 3.6, 6, 9.2, 10.8];

let daemon: OpenBox;
before(async () => {
  if (!skip) daemon = await openBox();
});
after(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

/** A wall of soft stripes, and on it the portrait while it is shown. */
async function makeFilm(): Promise<Buffer> {
  const portrait = await sharp(sharedData('face', 'human', 'obs-0010.jpg'))
    .resize(SIZE.width, SIZE.height, { fit: 'contain', background: '#808080' })
    .removeAlpha()
    .raw()
    .toBuffer();
  const paint = (index: number, rgb: Buffer) => {
    const time = index / FPS;
    if (SHOWN.some(([from, to]) => time >= from && time <= to)) portrait.copy(rgb);
    else for (let at = 0; at < rgb.length; at++) rgb[at] = 110 + (((at / 3) % SIZE.width) + index) / 12;
  };
  const recipe = { container: 'mp4', codec: FF_ENCODER_LIBX264, seconds: SECONDS, fps: FPS, ...SIZE };
  return makeVideo({ ...recipe, paint });
}

/** Times of the analysed frames, to the tenth of a second, and whether anything was said of faces. */
async function classify(film: Buffer, options: Record<string, string>): Promise<[number[], boolean]> {
  const body = new FormData();
  body.set('video', new Blob([Uint8Array.from(film)]), 'film.mp4');
  for (const [name, value] of Object.entries({ frames: String(FRAMES), ...options })) body.set(name, value);
  const url = `${daemon.http}/api/classification_video`;
  const response = await fetch(url, { method: 'POST', headers: KEY_HEADERS, body });
  const identifier = await response.text();
  assert.equal(response.status, 200, identifier);
  const query = `{ classification(identifier: "${identifier}") { status errors
    ... on VideoClassification { images { timeSeconds details { detections { box { x1 } } } } } } }`;
  const read = async () => {
    const answer = await fetch(`${daemon.http}/graphql`, {
      ...{ method: 'POST', headers: { ...KEY_HEADERS, 'content-type': 'application/json' } },
      body: JSON.stringify({ query }),
    });
    return ((await answer.json()) as { data: { classification: Read } }).data.classification;
  };
  let record = await read();
  while (record.status === 'NEW') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    record = await read();
  }
  const { status, errors, images } = record;
  assert.equal(status, 'DONE', errors);
  const times = images.map(({ timeSeconds }) => Math.round(timeSeconds * FPS) / FPS);
  return [times, images.some(({ details }) => details.length > 0)];
}

interface Read {
  status: string;
  errors: string;
  images: { timeSeconds: number; details: unknown[] }[];
}

test('a nearby frame with a face is taken, else the regular one', { skip }, async () => {
  const film = await makeFilm();
  assert.deepEqual(await classify(film, {}), [REGULAR, false]);
  assert.deepEqual(await classify(film, { ensure_face_per_frame: 'true' }), [EXPECTED, false]);
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FFEncoderCodec } from 'node-av/constants';
import { FF_ENCODER_AAC, FF_ENCODER_LIBX264, FF_ENCODER_MPEG4 } from 'node-av/constants';
import { MediaFile } from '../../src/worker/libav/media-file.ts';
import { StreamDecoder } from '../../src/worker/libav/stream-decoder.ts';
import { measureTimeSpan } from '../../src/worker/libav/time-span.ts';
import { makeVideo, type VideoRecipe } from '../media/make-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

let folder: TemporaryFolder;
before(async () => {
  folder = await makeTemporaryFolder();
});
after(async () => await folder[Symbol.asyncDispose]());

const CASES: readonly [string, string, Partial<VideoRecipe>][] = [
  ['mp4', 'video/mp4', {}],
  ['mp4', 'video/mp4', { muxerOptions: { movflags: 'frag_keyframe+empty_moov' } }],
  ['mov', 'video/quicktime', {}],
  ['matroska', 'video/x-matroska', {}],
  ['avi', 'video/x-msvideo', { codec: FF_ENCODER_MPEG4 }],
  ['mpegts', 'video/mp2t', {}],
  ['flv', 'video/x-flv', {}],
  ['ogg', 'video/ogg', { codec: codec('libtheora'), withSound: codec('libvorbis') }],
];

function codec(name: string): FFEncoderCodec {
  return name as FFEncoderCodec;
}

/** Times and samples, or lines, of every decoded frame. */
function fingerprint(file: MediaFile, kind: 'video' | 'audio'): string {
  const reading = file.from(kind);
  assert.ok(reading !== null);
  const { container, stream } = reading;
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  const hash = createHash('sha256');
  let count = 0;
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    count += 1;
    hash.update(`${frame.bestEffortTimestamp} ${frame.nbSamples}`);
    for (const plane of frame.data ?? []) hash.update(plane.subarray(0, 1024));
  }
  assert.ok(count > 20, `${count} frames`);
  return hash.digest('hex');
}

for (const [container, mime, more] of CASES) {
  test(`${container} ${Object.values(more.muxerOptions ?? {}).join()} is read again as it was`, async () => {
    const path = join(folder.path, 'video');
    const recipe = { codec: FF_ENCODER_LIBX264, withSound: FF_ENCODER_AAC, seconds: 4, keyFrameInterval: 25 };
    const size = { width: 192, height: 128, fps: 25 };
    await writeFile(path, makeVideo({ container, ...recipe, ...size, ...more }));
    const type = { mime, name: container };
    using fresh = new MediaFile(path, type);
    const video = fingerprint(fresh, 'video');
    using other = new MediaFile(path, type);
    const audio = fingerprint(other, 'audio');
    using file = new MediaFile(path, type);
    const first = file.from('video');
    assert.ok(first !== null);
    measureTimeSpan(first.container, first.stream, statSync(path).size);
    assert.equal(fingerprint(file, 'video'), video, 'after its end was looked at');
    assert.equal(fingerprint(file, 'audio'), audio, 'after the pictures');
    assert.equal(fingerprint(file, 'video'), video, 'after the sound');
  });
}

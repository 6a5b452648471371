import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FFDecoderCodec } from 'node-av/constants';
import { Codec, InputFormat } from 'node-av/lib';
import {
  FORMATS,
  formatOf,
  formatReadBy,
  MEDIA_TYPES,
  refineMediaType,
} from '../../../src/domain/media/formats.ts';
import { HEAD_BYTES, sniffMediaType } from '../../../src/domain/media/sniff.ts';

const starting = FORMATS.flatMap(({ mime, starts = [] }) => starts.map((start) => ({ mime, start })));

test('first bytes are enough, whatever follows', () => {
  const rest = fc.uint8Array({ maxLength: HEAD_BYTES });
  fc.assert(
    fc.property(fc.constantFrom(...starting), rest, ({ mime, start }, tail) => {
      const head = Buffer.concat([Buffer.from(start, 'latin1'), tail]).subarray(0, HEAD_BYTES);
      assert.equal(sniffMediaType(head)?.mime, mime);
    }),
    { numRuns: 2000 },
  );
});

test('no first bytes begin those of another format', () => {
  for (const { mime, start } of starting)
    for (const other of starting)
      if (other.mime !== mime) assert.ok(!other.start.startsWith(start), `${mime} ${other.mime}`);
});

test('a type and an ending name one format', () => {
  const names = [FORMATS.map(({ mime }) => mime), FORMATS.flatMap(({ extensions }) => extensions)];
  for (const list of names) assert.equal(new Set(list).size, list.length);
});

test('each format is known by its bytes, by its demuxer, or is what another turns out to be', () => {
  const turned = new Set(FORMATS.map(({ otherwise }) => otherwise));
  for (const { mime, starts, within, demuxers } of FORMATS) {
    const isKnown = starts !== undefined || within !== undefined || turned.has(mime);
    assert.ok(isKnown || formatReadBy(demuxers ?? '')?.mime === mime, mime);
  }
  const read = ['aac', 'mp3', 'mov,mp4,m4a,3gp,3g2,mj2', 'ogg', 'matroska,webm', 'jpegxl_anim', 'rm'];
  assert.deepEqual(
    read.map((demuxer) => formatReadBy(demuxer)?.name),
    ['AAC', 'MP3', 'MP4', 'OGG', 'MKV', undefined, undefined],
  );
  for (const { mime, kinds, otherwise } of FORMATS) {
    if (otherwise === undefined) continue;
    const other = 'audio' in kinds ? 'video' : 'audio';
    assert.equal(refineMediaType(mime, other)?.mime, otherwise);
  }
});

test('a film or a sound that its bytes identify has a demuxer', () => {
  for (const { mime, starts, within, kinds, demuxers } of FORMATS) {
    if ('image' in kinds || (starts === undefined && within === undefined)) continue;
    assert.ok(demuxers !== undefined, mime);
  }
});

test('a browser is given what it asked for, and no document', () => {
  for (const { mime, kinds, shownAs } of FORMATS) {
    if (shownAs === undefined) continue;
    const [family = ''] = shownAs.split('/');
    assert.ok(family in kinds, `${mime} as ${shownAs}`);
    assert.notEqual(shownAs, 'image/svg+xml');
  }
});

/** Formats that name other files or addresses; none may be let near an upload. */
const PLAYLISTS = /^(hls|dash|concat|sdp|rtp|rtsp|image2|lavfi|imf)/;

test('each demuxer is one that the library has, and opens one file only', () => {
  const names = new Set(FORMATS.flatMap(({ demuxers }) => demuxers?.split(',') ?? []));
  for (const name of names) {
    assert.ok(InputFormat.findInputFormat(name), name);
    assert.doesNotMatch(name, PLAYLISTS);
  }
});

test('each decoder is the one that the library takes for its codec; what is demuxed names some', () => {
  for (const { mime, demuxers, decoders } of FORMATS)
    assert.equal(demuxers === undefined, decoders === undefined, mime);
  for (const name of new Set(FORMATS.flatMap(({ decoders }) => decoders?.split(',') ?? []))) {
    const codec = Codec.findDecoderByName(name as FFDecoderCodec);
    assert.equal(codec && Codec.findDecoder(codec.id)?.name, name);
  }
});

test('a kind of a format is documented or a plan’s option', () => {
  for (const { mime, kind, documented } of MEDIA_TYPES)
    assert.equal(documented, formatOf(mime)?.kinds[kind] === 'documented');
  assert.equal(formatOf('image/svg+xml'), undefined);
  assert.equal(formatOf('constructor'), undefined);
});

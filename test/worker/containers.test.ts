/** Every container and codec through probe and decode: kind, type, length, sides, sound; refusals name what was found. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { FF_ENCODER_AAC, type FFEncoderCodec } from 'node-av/constants';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { MediaFaultError } from '../../src/engine/children/worker-errors.ts';
import type {
  DecodeAudioRequest,
  DecodeImageRequest,
  DecodeVideoRequest,
} from '../../src/worker/protocol/decode-protocol.ts';
import { decodeVideo, LIMITS } from '../media/decode-fixture.ts';
import { makeSound, makeVideo, remux, type SoundRecipe, type VideoRecipe } from '../media/make-media.ts';
import { SlotOfFile } from '../media/slot-of-file.ts';
import { makeVideoByAny } from '../media/video-apart.ts';

const child = new SlotOfFile();

const codec = (name: string) => name as FFEncoderCodec;

type SoundCase = [
  name: string,
  container: string,
  codec: string,
  mime: string,
  recipe?: Partial<SoundRecipe>,
];

const SOUNDS: SoundCase[] = [
  ['MP3', 'mp3', 'libmp3lame', 'audio/mpeg'],
  ['MP3 of 22.05 kHz in one channel', 'mp3', 'libmp3lame', 'audio/mpeg', { rate: 22_050, channels: 1 }],
  ['WAV', 'wav', 'pcm_s16le', 'audio/wav'],
  ['WAV of 24 bits at 96 kHz', 'wav', 'pcm_s24le', 'audio/wav', { rate: 96_000 }],
  ['WAV of floats', 'wav', 'pcm_f32le', 'audio/wav'],
  ['WAV of 5.1 channels', 'wav', 'pcm_s16le', 'audio/wav', { rate: 48_000, channels: 6 }],
  ['WAV of telephone sound', 'wav', 'pcm_mulaw', 'audio/wav', { rate: 8000, channels: 1 }],
  ['OGG Vorbis', 'ogg', 'libvorbis', 'audio/ogg'],
  ['OGG Opus', 'ogg', 'libopus', 'audio/ogg', { rate: 48_000 }],
  ['FLAC', 'flac', 'flac', 'audio/flac'],
  ['AAC', 'adts', 'aac', 'audio/aac'],
  ['3GP', '3gp', 'aac', 'audio/3gp', { rate: 16_000, channels: 1 }],
  ['M4A', 'ipod', 'aac', 'audio/m4a'],
  ['M4A lossless', 'ipod', 'alac', 'audio/m4a'],
  ['MP4 with sound only', 'mp4', 'aac', 'video/mp4'],
  ['MKA', 'matroska', 'flac', 'audio/x-matroska'],
  ['WebM with sound only', 'webm', 'libopus', 'audio/webm', { rate: 48_000 }],
  ['AIFF', 'aiff', 'pcm_s16be', 'audio/aiff'],
  ['WMA', 'asf', 'wmav2', 'audio/x-ms-wma'],
  ['AC-3', 'ac3', 'ac3', 'audio/ac3', { rate: 48_000 }],
];

/** Codecs that begin with silence of their own, in containers that do not say so, are this much longer. */
const SECONDS_TOLERANCE = 0.08;

for (const [name, container, encoder, mime, more] of SOUNDS) {
  test(`sound: ${name}`, async () => {
    const recipe = { container, codec: codec(encoder), seconds: 2.5, rate: 44_100, channels: 2, ...more };
    const input = await child.place(makeSound(recipe));
    const { probe } = await child.slot.request({ type: 'probe', input, limits: LIMITS });
    assert.deepEqual(
      { ...probe, durationSeconds: 0 },
      { ...{ kind: 'audio', mime, width: null, height: null, pages: 1, durationSeconds: 0, hasSound: true } },
    );
    assertNear(probe.durationSeconds ?? 0, 2.5);
    const { audio } = await child.slot.request({
      type: 'decode-audio',
      input,
      trust: NO_TRUST,
      soundSecondsMax: 60,
    });
    assert.deepEqual([audio.mime, audio.damaged, audio.provenance.fault], [mime, false, null]);
    assert.deepEqual([audio.sound.sampleRate, audio.sound.channelCount], [recipe.rate, recipe.channels]);
    assertNear(audio.sound.durationSeconds, 2.5);
    const [mix] = audio.sound.sounds;
    assert.ok(mix !== undefined && audio.sound.sounds.length === 1);
    const samples = await readSamples(mix.file);
    assert.equal(samples.length, mix.sampleCount);
    // The tone of the recipe: 0.3 at 440 Hz.
    assert.ok(Math.abs(toneLevel(samples, 440) - 0.3) < 0.06, `level ${toneLevel(samples, 440)}`);
  });
}

/** Silent speech of the narrow-band codec at 4.75 kb/s, 20 ms a frame: nothing here encodes it. */
function makeAmr(seconds: number): Buffer {
  const frame = Buffer.concat([Buffer.from([0x04]), Buffer.alloc(12)]);
  return Buffer.concat([Buffer.from('#!AMR\n'), ...Array.from({ length: seconds * 50 }, () => frame)]);
}

for (const [name, mime, wrap] of [
  ['AMR', 'audio/amr', (bytes: Buffer) => bytes],
  ['AMR in 3GP', 'audio/3gp', (bytes: Buffer) => remux(bytes, 'amr', '3gp')],
] as const) {
  test(`sound: ${name}`, async () => {
    const input = await child.place(wrap(makeAmr(3)));
    const { probe } = await child.slot.request({ type: 'probe', input, limits: LIMITS });
    assert.deepEqual([probe.kind, probe.mime, probe.hasSound], ['audio', mime, true]);
    const request = { type: 'decode-audio', input, trust: NO_TRUST, soundSecondsMax: 60 } as const;
    const { sound, damaged } = (await child.slot.request(request)).audio;
    assert.deepEqual([sound.sampleRate, sound.channelCount, damaged], [8000, 1, false]);
    assert.equal(sound.sounds[0]?.codec, 'amr_nb');
    assertNear(sound.durationSeconds, 3);
  });
}

async function readSamples(file: string): Promise<Float32Array> {
  const bytes = await readFile(child.slot.outPath(file));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Amplitude of one frequency in the middle second. */
function toneLevel(samples: Float32Array, hertz: number): number {
  const middle = samples.subarray(8000, 24_000);
  const sum = { sine: 0, cosine: 0 };
  for (const [index, sample] of middle.entries()) {
    sum.sine += sample * Math.sin((2 * Math.PI * hertz * index) / 16_000);
    sum.cosine += sample * Math.cos((2 * Math.PI * hertz * index) / 16_000);
  }
  return (Math.hypot(sum.sine, sum.cosine) * 2) / middle.length;
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= SECONDS_TOLERANCE, `${actual} seconds, not ${expected}`);
}

type VideoCase = [
  name: string,
  container: string,
  codec: string,
  mime: string,
  recipe?: Partial<VideoRecipe>,
];

const VIDEOS: VideoCase[] = [
  ['MP4 with H.264', 'mp4', 'libx264', 'video/mp4', { withSound: codec('aac') }],
  ['MP4 with HEVC', 'mp4', 'libx265', 'video/mp4'],
  ['MP4 with MPEG-4', 'mp4', 'mpeg4', 'video/mp4', { withSound: codec('libmp3lame') }],
  ['MOV with ProRes', 'mov', 'prores', 'video/quicktime', { withSound: codec('pcm_s16le') }],
  ['MOV with MJPEG', 'mov', 'mjpeg', 'video/quicktime'],
  ['MKV with HEVC and FLAC', 'matroska', 'libx265', 'video/x-matroska', { withSound: codec('flac') }],
  ['WebM with VP8', 'webm', 'libvpx', 'video/webm', { withSound: codec('libvorbis') }],
  ['WebM with VP9', 'webm', 'libvpx-vp9', 'video/webm', { withSound: codec('libopus') }],
  ['WebM with AV1', 'webm', 'libsvtav1', 'video/webm'],
  ['AVI with MPEG-4', 'avi', 'mpeg4', 'video/x-msvideo', { withSound: codec('libmp3lame') }],
  ['AVI with MJPEG', 'avi', 'mjpeg', 'video/x-msvideo', { withSound: codec('pcm_s16le') }],
  ['MPEG-TS with H.264', 'mpegts', 'libx264', 'video/mp2t', { withSound: codec('aac') }],
  ['MPEG-PS with MPEG-2', 'mpeg', 'mpeg2video', 'video/mpeg', { withSound: codec('mp2') }],
  ['3GP', '3gp', 'mpeg4', 'video/3gpp', { withSound: FF_ENCODER_AAC }],
  ['OGG with Theora', 'ogg', 'libtheora', 'video/ogg', { withSound: codec('libvorbis') }],
  ['FLV with H.264', 'flv', 'libx264', 'video/x-flv', { withSound: codec('aac') }],
  ['WMV', 'asf', 'wmv2', 'video/x-ms-wmv', { withSound: codec('wmav2') }],
  ['MXF with MPEG-2', 'mxf', 'mpeg2video', 'application/mxf'],
];

for (const [name, container, encoder, mime, more] of VIDEOS) {
  test(`video: ${name}`, async () => {
    const size = { seconds: 2, width: 192, height: 128, fps: 25 };
    const input = await child.place(makeVideoByAny({ container, codec: codec(encoder), ...size, ...more }));
    const { probe } = await child.slot.request({ type: 'probe', input, limits: LIMITS });
    assert.deepEqual(
      { ...probe, durationSeconds: 0, hasSound: false },
      { ...{ kind: 'video', mime, width: 192, height: 128, pages: 1, durationSeconds: 0, hasSound: false } },
    );
    assertNear(probe.durationSeconds ?? 0, 2);
    const request: Omit<DecodeVideoRequest, 'id'> = {
      ...{ type: 'decode-video', input, limits: LIMITS, trust: NO_TRUST, patchSets: [] },
      ...{ decoder: 'cpu', frames: { method: 'even', countMax: 4 }, withTrack: true, soundSecondsMax: 60 },
    };
    const video = await decodeVideo(child.slot, request);
    assert.deepEqual([video.mime, video.width, video.height, video.damagedFrames], [mime, 192, 128, 0]);
    assertNear(video.durationSeconds, 2);
    for (const [index, frame] of video.frames.entries()) assertNear(frame.timeSeconds, 0.23 + index * 0.5);
    assert.equal(video.frames.length, 4);
    assert.equal(video.track !== null, more?.withSound !== undefined);
    if (video.track !== null) assertNear(video.track.sound.durationSeconds, 2);
  });
}

test('a cover makes no video of a recording', async () => {
  const bytes = makeSound({
    container: 'mp3',
    codec: codec('libmp3lame'),
    seconds: 1,
    rate: 44_100,
    channels: 1,
  });
  const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000)]);
  const input = await child.place(
    Buffer.concat([id3Cover(picture), bytes.subarray(bytes.indexOf('\xff\xfb', 0, 'latin1'))]),
  );
  const { probe } = await child.slot.request({ type: 'probe', input, limits: LIMITS });
  assert.deepEqual([probe.kind, probe.mime], ['audio', 'audio/mpeg']);
});

/** An ID3v2.3 tag with one attached picture. */
function id3Cover(picture: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0', 'latin1'), picture]);
  const frame = Buffer.concat([Buffer.from('APIC'), uint32(body.length), Buffer.alloc(2), body]);
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (frame.length >> shift) & 0x7f));
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), size, frame]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

interface Refused {
  name: string;
  bytes: () => Buffer;
  fault: string;
  message: RegExp;
}

const video = (more: Partial<VideoRecipe> = {}) =>
  makeVideo({
    container: 'mp4',
    codec: codec('libx264'),
    seconds: 2,
    width: 192,
    height: 128,
    fps: 25,
    ...more,
  });

const REFUSED: Refused[] = [
  {
    name: 'MP4 without its index',
    bytes: () => video().subarray(0, 4000),
    fault: 'corrupt',
    message: /the MP4 data is damaged or ends early/,
  },
  {
    name: 'MP4 with its index and no picture data',
    bytes: () => {
      const whole = video({ muxerOptions: { movflags: 'faststart' } });
      return whole.subarray(0, whole.indexOf('mdat') + 4);
    },
    fault: 'corrupt',
    message: /no frame of the video can be decoded|damaged or ends early/,
  },
  {
    name: 'playlist that names other files',
    bytes: () => Buffer.from('#EXTM3U\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n'),
    fault: 'unsupported_media_type',
    message: /a playlist, which is none of the accepted types/,
  },
  {
    name: 'playlist behind an MP4 head',
    bytes: () => Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomiso2#EXTM3U\nfile:///etc/passwd\n', 'latin1'),
    fault: 'corrupt',
    message: /the MP4 data/,
  },
  ...(
    [
      ['matroska', 'ffv1'],
      ['avi', 'magicyuv'],
      ['avi', 'huffyuv'],
    ] as const
  ).map(([container, name]) => ({
    name: `${container} with ${name}, whose decoder no format needs`,
    bytes: () =>
      makeVideoByAny({ container, codec: codec(name), seconds: 0.2, width: 64, height: 48, fps: 25 }),
    fault: 'unsupported_media_type',
    message: new RegExp(`without picture or sound that can be decoded \\(${name}\\)`),
  })),
  {
    name: 'WAV of a header only',
    bytes: () =>
      makeSound({
        container: 'wav',
        codec: codec('pcm_s16le'),
        seconds: 1,
        rate: 8000,
        channels: 1,
      }).subarray(0, 44),
    fault: 'corrupt',
    message: /no sound in the file can be decoded|WAV data/,
  },
  {
    name: 'noise with an MP3 head',
    bytes: () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(3000, 7)]),
    fault: 'corrupt',
    message: /MP3|no sound/,
  },
];

for (const { name, bytes, fault, message } of REFUSED) {
  test(`refuses: ${name}`, async () => {
    const input = await child.place(bytes());
    const error = await child.slot
      .request({ type: 'probe', input, limits: LIMITS })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof MediaFaultError, String(error));
    assert.equal(error.fault, fault);
    assert.match(error.message, message);
  });
}

test('a kind that was not asked for is refused by name', async () => {
  const sound = await child.place(
    makeSound({ container: 'mp4', codec: codec('aac'), seconds: 1, rate: 44_100, channels: 1 }),
  );
  const settings = { limits: LIMITS, trust: NO_TRUST };
  const asVideo: Omit<DecodeVideoRequest, 'id'> = {
    ...{ type: 'decode-video', input: sound, ...settings, patchSets: [] },
    ...{ decoder: 'cpu', frames: { method: 'even', countMax: 1 }, withTrack: false, soundSecondsMax: 60 },
  };
  await assert.rejects(child.slot.request(asVideo), /MP4 with sound only/);
  const input = await child.place(video());
  const asAudio: Omit<DecodeAudioRequest, 'id'> = {
    ...{ type: 'decode-audio', input, trust: NO_TRUST, soundSecondsMax: 60 },
  };
  await assert.rejects(child.slot.request(asAudio), /MP4 video without sound; accepted are MP3/);
  const asImage: Omit<DecodeImageRequest, 'id'> = { type: 'decode-image', input, ...settings, patchSets: [] };
  await assert.rejects(child.slot.request(asImage), /MP4 video; accepted are PNG/);
});

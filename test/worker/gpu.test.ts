/** GPU decoding on a box without one: the lack is reported, and a GPU's frame layout becomes the same picture. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_P010LE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUV420P10LE,
  type AVPixelFormat,
  FF_ENCODER_LIBX264,
} from 'node-av/constants';
import { Frame, SoftwareScaleContext } from 'node-av/lib';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import { toUprightPicture } from '../../src/worker/libav/frame-picture.ts';
import type { VideoDecoder } from '../../src/worker/protocol/decoded-media.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import {
  distinctPicture,
  statusOf as recordStatusOf,
  submitPicture,
  until,
} from '../faults/rounds/submissions.ts';
import { decodeVideo, LIMITS, openSlot } from '../media/decode-fixture.ts';
import { makeVideo } from '../media/make-media.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

const SIZE = { width: 320, height: 240 };
/** A busy machine takes so long to find out that it has no GPU. */
const REFUSAL_MS_MAX = 60_000;
/** An analysis begins within milliseconds unless something holds it back. */
const UNTOUCHED_MS = 1000;
const POLL_MS = 50;

let folder: TemporaryFolder;
let slot: DecodeSlot;
let hasGpu: boolean;
before(async () => {
  folder = await makeTemporaryFolder();
  slot = await openSlot(folder.path);
  hasGpu = (await slot.request({ type: 'find-gpu' })).fault === null;
});
after(async () => {
  await slot[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The same picture in another layout of the same samples. */
function relaid(source: Frame, format: AVPixelFormat): Frame {
  const frame = new Frame();
  frame.alloc();
  Object.assign(frame, { ...SIZE, format });
  assert.ok(frame.getBuffer() >= 0);
  const scaler = new SoftwareScaleContext();
  scaler.getContext(SIZE.width, SIZE.height, source.format as AVPixelFormat, SIZE.width, SIZE.height, format);
  assert.ok(scaler.scaleFrameSync(frame, source) >= 0);
  scaler.freeContext();
  return frame;
}

for (const [name, cpu, gpu, bytes] of [
  ['8 bits', AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, 1],
  ['10 bits', AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_P010LE, 2],
] as const) {
  test(`a frame of ${name} in the GPU’s layout gives the same picture`, () => {
    const samples = Buffer.alloc(SIZE.width * SIZE.height * 1.5 * bytes);
    for (let at = 0; at < samples.length; at++)
      samples[at] = bytes === 2 && at % 2 === 1 ? (at >> 3) & 3 : (Math.imul(at, 2654435761) >>> 24) & 255;
    using planar = Frame.fromVideoBuffer(samples, { ...SIZE, format: cpu });
    using paired = relaid(planar, gpu);
    const display = { turn: 'none', pixelAspect: 1 } as const;
    assert.deepEqual(toUprightPicture(paired, display).rgb, toUprightPicture(planar, display).rgb);
  });
}

test('a child without a GPU says so, and decodes the same frames on the CPU', async (t) => {
  if (hasGpu) return t.skip('this box has a GPU');
  const { fault } = await slot.request({ type: 'find-gpu' });
  assert.match(fault ?? '', /^no GPU can be opened for decoding video \(.+\)$/);
  const recipe = { container: 'mp4', codec: FF_ENCODER_LIBX264, seconds: 2, fps: 25, ...SIZE };
  const path = join(folder.path, 'video');
  await writeFile(path, makeVideo(recipe));
  const input = await slot.placeInput(path);
  const decode = async (decoder: VideoDecoder) =>
    await decodeVideo(slot, {
      ...{ type: 'decode-video', input, limits: LIMITS, trust: NO_TRUST, patchSets: [], decoder },
      ...{ frames: { method: 'even', countMax: 5 }, withTrack: false, soundSecondsMax: 1 },
    });
  const [cpu, gpu] = [await decode('cpu'), await decode('nvdec')];
  assert.deepEqual([cpu.decoder, gpu.decoder], ['cpu', 'cpu'], 'it never claims what it did not do');
  const hashes = ({ frames }: typeof cpu) => frames.map(({ hash }) => hash);
  assert.deepEqual(hashes(gpu), hashes(cpu));
});

async function statusOf(
  daemon: TestDaemon,
): Promise<{ videoDecoder: string; notReadyReason: string | null; queueDepth: number; running: number }> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ appliance { videoDecoder notReadyReason queueDepth running } }' }),
  });
  return ((await response.json()) as { data: { appliance: Awaited<ReturnType<typeof statusOf>> } }).data
    .appliance;
}

test('a GPU that is preferred and absent is reported in status', async (t) => {
  if (hasGpu) return t.skip('this box has a GPU');
  await using daemon = await TestDaemon.start({ models: 'tiny', env: { ASSAY_DECODE_VIDEO: 'prefer-gpu' } });
  const { videoDecoder } = await statusOf(daemon);
  assert.match(videoDecoder, /^cpu: no GPU can be opened for decoding video/);
});

const REQUIRED = [
  {
    of: 'video',
    env: { ASSAY_DECODE_VIDEO: 'require-gpu' },
    reason: /decode\.video is require-gpu, and no GPU can be opened/,
  },
  {
    of: 'models',
    env: { ASSAY_ACCELERATOR_REQUIRE: 'gpu', ASSAY_INFERENCE_PROVIDERS: 'cuda,cpu' },
    reason: /accelerator\.require is gpu, and the CPU runs .*tiny-coarse.* \(cuda: .+\)/,
  },
];

for (const { of, env, reason } of REQUIRED) {
  test(`a GPU that is required for ${of} and absent keeps the box from being ready, and from analysing`, async (t) => {
    if (hasGpu) return t.skip('this box has a GPU');
    await using daemon = await TestDaemon.start({ models: 'tiny', env, awaitReady: false });
    const isRefused = async () => reason.test((await statusOf(daemon)).notReadyReason ?? '');
    await until(isRefused, `the reason ${reason}`, REFUSAL_MS_MAX);
    const identifier = await submitPicture(daemon, await distinctPicture(1));
    for (const end = Date.now() + UNTOUCHED_MS; Date.now() < end; await delay(POLL_MS)) {
      const { queueDepth, running } = await statusOf(daemon);
      assert.deepEqual([queueDepth, running], [1, 0], 'it waits for the GPU');
    }
    assert.equal(await recordStatusOf(daemon, identifier), 'new');
  });
}

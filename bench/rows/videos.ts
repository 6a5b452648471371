/** Videos per second from upload to ended record, and the thirty frames of an hour. */
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_TRUST } from '../../src/domain/provenance/trust-list.ts';
import { DECODE_LIMITS } from '../../src/engine/decode/decode-limits.ts';
import type { DecodeSlot } from '../../src/engine/decode/decode-slot.ts';
import type { DecodedFrame } from '../../src/worker/protocol/decoded-media.ts';
import { TestDaemon } from '../../test/daemon.ts';
import { openSlot } from '../../test/media/decode-fixture.ts';
import { writeLongVideo } from '../../test/media/long-video.ts';
import { BareVideo, walkFrames } from '../bare-video.ts';
import { type EndToEndRun, toEndToEndRows } from '../end-to-end-rows.ts';
import { classifyMedia } from '../grpc-media.ts';
import { type Row, RUNS } from '../row.ts';

const FRAMES = 10;
const VIDEO_COUNT = 4;
const HD = { width: 1920, height: 1080 };
const SHORT = { seconds: 20, ...HD };
const HOUR = { seconds: 3600, ...HD };
const HOUR_FRAMES = 30;

export async function measureVideos(): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  await using daemon = await TestDaemon.start();
  await using bare = await BareVideo.open();
  const path = join(folder.path, 'short.mp4');
  writeLongVideo(path, SHORT);
  const bytes = readFileSync(path);
  const files = Array.from({ length: VIDEO_COUNT }, () => bytes);
  const header = { noCache: true, options: { frames: FRAMES } };
  const runs: EndToEndRun[] = [];
  // The first pair of runs only warms both up.
  for (let run = 0; run <= RUNS; run++) {
    const ours = await classifyMedia(daemon, files, { hands: 2 * availableParallelism(), header });
    const bareRun = await bare.run(
      files.map(() => path),
      FRAMES,
    );
    if (run > 0) runs.push({ ours, bare: bareRun });
  }
  const what = `a video of ${SHORT.seconds} s`;
  const many = `videos of ${SHORT.seconds} s, ${FRAMES} frames,`;
  return toEndToEndRows(runs, { what, many, count: files.length });
}

export async function measureFrames(): Promise<Row[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'assay-bench-'));
  const path = join(folder.path, 'hour.mp4');
  writeLongVideo(path, HOUR);
  await using slot = await openSlot(folder.path);
  const ours: number[] = [];
  const pictures: number[] = [];
  const seeks: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const own = await takeFrames(slot, path);
    const withPictures = await walkFrames(path, HOUR_FRAMES, async () => {});
    const bare = await walkFrames(path, HOUR_FRAMES, null);
    if (run === 0) continue;
    ours.push(own);
    pictures.push(withPictures);
    seeks.push(bare);
  }
  const row = { unit: 's', better: 'lower', runs: ours } as const;
  const name = `${HOUR_FRAMES} frames of an hour of 1080p, against`;
  return [
    { ...row, name: `${name} the same seeks and pictures`, bareRuns: pictures },
    { ...row, name: `${name} the same seeks alone`, bareRuns: seeks },
  ];
}

/** Seconds until every frame lies there as a PNG. */
async function takeFrames(slot: DecodeSlot, path: string): Promise<number> {
  const input = await slot.placeInput(path);
  const startedAt = performance.now();
  const frames: DecodedFrame[] = [];
  await slot.request(
    {
      ...{
        type: 'decode-video',
        input,
        limits: DECODE_LIMITS,
        trust: NO_TRUST,
        patchSets: [],
        decoder: 'cpu',
      },
      ...{ frames: { method: 'even', countMax: HOUR_FRAMES }, withTrack: false, soundSecondsMax: 1 },
    },
    { timeoutMs: 600_000, onFrame: (frame) => void frames.push(frame) },
  );
  if (frames.length !== HOUR_FRAMES) throw new Error(`${frames.length} frames were made`);
  return (performance.now() - startedAt) / 1000;
}

/** A decode slot and a decode pool of a test's own, quiet, at whatever isolation the machine gives. */
import { join } from 'node:path';
import { PIXELS_MAX, SIDE_PIXELS_MAX } from '../../src/domain/limits.ts';
import { CopyRoom } from '../../src/engine/decode/copy-room.ts';
import {
  DECODE_POOL_DEFAULTS,
  DecodePool,
  type DecodePoolConfig,
} from '../../src/engine/decode/decode-pool.ts';
import { DecodeSlot, type RequestOptions } from '../../src/engine/decode/decode-slot.ts';
import { detectIsolation, type Isolation } from '../../src/engine/decode/isolation.ts';
import type { DecodeVideoRequest } from '../../src/worker/protocol/decode-protocol.ts';
import type { DecodedFrame, DecodedVideo } from '../../src/worker/protocol/decoded-media.ts';
import { PATIENCE_MS } from '../patience.ts';

export const LIMITS = { pixelsMax: PIXELS_MAX, sidePixelsMax: SIDE_PIXELS_MAX };

export const BOUNDS = { memoryBytesMax: 2 * 1024 ** 3, fileBytesMax: 1024 ** 3 };

/** At the strongest isolation of this machine. */
export async function openSlot(folder: string, log: (line: string) => void = () => {}): Promise<DecodeSlot> {
  return await openSlotAt(folder, await detectIsolation(join(folder, 'trial'), folder), log);
}

/** Without walls: the child's process is the one that was started, so it can be looked at and stopped. */
export async function openBareSlot(folder: string): Promise<DecodeSlot> {
  const { limiter } = await detectIsolation(join(folder, 'trial'), folder);
  const bare: Isolation = {
    level: 'limits only',
    limiter,
    unshareFlags: null,
    coveredFolder: null,
    kernel: null,
  };
  return await openSlotAt(folder, bare);
}

export async function openSlotAt(
  folder: string,
  isolation: Isolation,
  log: (line: string) => void = () => {},
  copyRoom = new CopyRoom(0),
  program?: readonly string[],
): Promise<DecodeSlot> {
  const slotFolder = join(folder, 'slot');
  const timeoutMs = PATIENCE_MS;
  const parts = { folder: slotFolder, isolation, bounds: BOUNDS, copyRoom, timeoutMs, log };
  return await DecodeSlot.open({ ...parts, program });
}

/** A video as the child answers it, with the frames that it reported before. */
export type VideoWithFrames = DecodedVideo & { frames: DecodedFrame[] };

export async function decodeVideo(
  slot: DecodeSlot,
  request: Omit<DecodeVideoRequest, 'id'>,
  options: RequestOptions = {},
): Promise<VideoWithFrames> {
  const frames: DecodedFrame[] = [];
  const { video } = await slot.request(request, { ...options, onFrame: (frame) => void frames.push(frame) });
  return { ...video, frames };
}

export interface ObservedPool extends AsyncDisposable {
  pool: DecodePool;
  /** Sentences of lost children. */
  losses: string[];
  started: number[];
}

export function makePool(folder: string, config: Partial<DecodePoolConfig> = {}): ObservedPool {
  const losses: string[] = [];
  const started: number[] = [];
  const observer = {
    childStarted: (pid: number | undefined) => void started.push(pid ?? 0),
    childLost: (_pid: number | undefined, error: Error) => void losses.push(error.message),
    childSaid: () => {},
  };
  const jobsFolder = join(folder, 'jobs');
  const pool = new DecodePool(
    { ...DECODE_POOL_DEFAULTS, slots: 1, isolation: 'any', ...config, dataFolder: folder, jobsFolder },
    observer,
  );
  return { pool, losses, started, [Symbol.asyncDispose]: async () => await pool[Symbol.asyncDispose]() };
}

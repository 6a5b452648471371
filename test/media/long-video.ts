/** A video of an hour, made in seconds: ten seconds are encoded, and their packets are written again and again. */
import { rmSync, writeFileSync } from 'node:fs';
import { AVMEDIA_TYPE_VIDEO, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Dictionary, FFmpegError, FormatContext, Packet } from 'node-av/lib';
import { makeVideo } from './make-media.ts';

const SCENE_SECONDS = 10;
const FPS = 25;
/** Two seconds: between a telephone's one second and the ten of a film encoded for the web. */
const KEY_FRAME_INTERVAL = 50;
const COARSE = 40;

export interface LongVideo {
  seconds: number;
  width: number;
  height: number;
}

/** H.264 in MP4 at `path`; motion and grain of about 2 Mb/s. */
export function writeLongVideo(path: string, { seconds, width, height }: LongVideo): void {
  const scenePath = `${path}.scene`;
  const paint = (index: number, rgb: Buffer) => paintScene(index, width, rgb);
  writeFileSync(
    scenePath,
    makeVideo({
      ...{ container: 'mp4', codec: FF_ENCODER_LIBX264, seconds: SCENE_SECONDS, width, height, fps: FPS },
      ...{ keyFrameInterval: KEY_FRAME_INTERVAL, paint },
      encoderOptions: { preset: 'veryfast', maxrate: '2000000', bufsize: '4000000' },
    }),
  );
  try {
    repeat(scenePath, path, Math.ceil(seconds / SCENE_SECONDS));
  } finally {
    rmSync(scenePath, { force: true });
  }
}

/** A gradient that wanders over blocks of other shades: neither flat nor noise. */
function paintScene(index: number, width: number, rgb: Buffer): void {
  for (let at = 0; at < rgb.length; at += 3) {
    const x = (at / 3) % width;
    const y = Math.floor(at / 3 / width);
    const block =
      ((Math.floor((x + index * 2) / COARSE) * 73) ^ (Math.floor((y + index) / COARSE) * 151)) & 63;
    const grain = (Math.imul(at, 2654435761) >>> 27) & 7;
    rgb[at] = (x / 12 + block + grain) & 255;
    rgb[at + 1] = (y / 8 + block + grain) & 255;
    rgb[at + 2] = (block * 2 + grain + index) & 255;
  }
}

function repeat(scenePath: string, path: string, times: number): void {
  const output = new FormatContext();
  check(output.allocOutputContext2(null, 'mp4', path));
  const [timeBase, packets] = readPackets(scenePath, output);
  check(output.openOutputSync());
  check(output.writeHeaderSync());
  const [stream] = output.streams;
  if (stream === undefined) throw new Error('the video has no stream');
  const sceneTicks = BigInt(Math.round((SCENE_SECONDS * timeBase.den) / timeBase.num));
  for (let round = 0; round < times; round++) {
    for (const source of packets) {
      using packet = source.clone();
      if (packet === null) throw new Error('a packet cannot be copied');
      packet.pts += sceneTicks * BigInt(round);
      packet.dts += sceneTicks * BigInt(round);
      packet.streamIndex = 0;
      packet.rescaleTs(timeBase, stream.timeBase);
      check(output.writeFrameSync(packet));
    }
  }
  check(output.writeTrailerSync());
  output.closeOutputSync();
  output.freeContext();
  for (const packet of packets) packet.free();
}

function readPackets(path: string, output: FormatContext) {
  const input = new FormatContext();
  input.allocContext();
  check(input.openInputSync(path, null, Dictionary.fromObject({ protocol_whitelist: 'file' })));
  check(input.findStreamInfoSync(null));
  const source = input.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO);
  if (source === undefined) throw new Error('the scene has no picture');
  const target = output.newStream(null);
  check(source.codecpar.copy(target.codecpar));
  target.timeBase = source.timeBase;
  target.avgFrameRate = source.avgFrameRate;
  const packets: Packet[] = [];
  for (;;) {
    const packet = new Packet();
    packet.alloc();
    if (input.readFrameSync(packet) < 0) break;
    packets.push(packet);
  }
  const { timeBase } = source;
  input.closeInputSync();
  return [timeBase, packets] as const;
}

function check(code: number): void {
  FFmpegError.throwIfError(code, 'making a long video');
}

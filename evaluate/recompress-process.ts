/**
 * Entry of a child that writes a video again as a platform would: 480 lines on the short side, at most 12 frames a second,
 * x264 at crf 28, without its sound. A process of its own, since FFmpeg may crash or hang on a broken file.
 */
import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_LOG_QUIET, AV_PKT_DATA_DISPLAYMATRIX, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Log, type Stream } from 'node-av/lib';
import { readTurn, turnFilters } from '../src/worker/libav/display.ts';

const SHORT_SIDE_MAX = 480;
const RATE_MAX = 12;
const CRF = 28;

const even = (side: string): string => `trunc(min(${SHORT_SIDE_MAX}\\,${side})/2)*2`;

/** Upright, since what writes a file again turns its frames; scaled down only. */
function describeFilters({ codecpar }: Stream): string {
  const matrix = codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  return [
    ...turnFilters(matrix === null ? 'none' : readTurn(matrix)),
    `fps=min(source_fps\\,${RATE_MAX})`,
    `scale=w=if(gte(iw\\,ih)\\,-2\\,${even('iw')}):h=if(gte(iw\\,ih)\\,${even('ih')}\\,-2)`,
    'format=yuv420p',
  ].join(',');
}

async function recompress(source: string, target: string): Promise<void> {
  await using input = await Demuxer.open(source);
  const stream = input.video();
  if (stream === undefined) throw new Error('expected a video, found no picture in it');
  using decoder = await Decoder.create(stream);
  using filter = FilterAPI.create(describeFilters(stream), { framerate: stream.avgFrameRate });
  using encoder = await Encoder.create(FF_ENCODER_LIBX264, { decoder, filter, options: { crf: CRF } });
  await using output = await Muxer.open(target);
  const index = output.addStream(encoder);
  const frames = filter.frames(decoder.frames(input.packets(stream.index)));
  for await (using packet of encoder.packets(frames)) {
    if (packet !== null) await output.writePacket(packet, index);
  }
}

Log.setLevel(AV_LOG_QUIET);
const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new Error('expected two paths');
try {
  await recompress(source, target);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

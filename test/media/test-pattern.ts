/** FFmpeg's test pattern: bars, digits and a small square that moves; on it a face detector can see what is not there. */
import { FFmpegError, FilterGraph, Frame } from 'node-av/lib';
import sharp, { type Sharp } from 'sharp';

/** The picture `seconds` after its beginning. */
export function testPattern(width: number, height: number, seconds: number): Sharp {
  using graph = new FilterGraph();
  graph.alloc();
  const chain = `testsrc2=size=${width}x${height}:rate=1,format=rgb24,buffersink@out`;
  check(graph.parse2(chain));
  check(graph.configSync());
  const sink = graph.getFilter('buffersink@out');
  if (sink === null) throw new Error('the filters have no end');
  using frame = new Frame();
  frame.alloc();
  for (let second = 0; second <= seconds; second++) {
    frame.unref();
    check(sink.buffersinkGetFrameSync(frame));
  }
  return sharp(frame.toBuffer(), { raw: { width, height, channels: 3 } });
}

function check(code: number): void {
  FFmpegError.throwIfError(code, 'making a test pattern');
}

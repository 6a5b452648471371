/** The way by which a frame becomes a picture is the quick one: its bytes are those of the plain one. */
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { AV_BUFFERSRC_FLAG_KEEP_REF, AVCOL_SPC_UNSPECIFIED } from 'node-av/constants';
import { FilterGraph, Frame } from 'node-av/lib';
import { HD_HEIGHT_MIN, toUprightPicture } from '../../../src/worker/libav/frame-picture.ts';

const PLAIN_FLAGS = 'bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';
const LAYOUTS = [
  ...['yuv420p', 'yuvj420p', 'yuv422p', 'yuv444p', 'yuv440p', 'yuva420p', 'gray', 'yuyv422'],
  ...['yuv420p10le', 'yuv422p10le', 'yuv444p12le', 'gbrp', 'gbrp10le', 'rgb24', 'rgb555le', 'pal8'],
];
/** Stored sides and the proportions of a pixel. */
const SIDES = [
  { width: 320, height: 240, pixelAspect: 1 },
  { width: 321, height: 241, pixelAspect: 1 },
  { width: 176, height: 144, pixelAspect: 12 / 11 },
  { width: 64, height: HD_HEIGHT_MIN, pixelAspect: 1 },
] as const;
const COLOURS = [
  'colorspace=bt709:range=tv',
  'colorspace=unknown:range=unknown',
  'colorspace=smpte170m:range=pc',
];

function runFilters(chain: string, frame: Frame | null): Frame {
  using graph = new FilterGraph();
  graph.alloc();
  graph.nbThreads = 1;
  ok(graph.parse2(chain) >= 0 && graph.configSync() >= 0, chain);
  if (frame !== null)
    ok((graph.getFilter('buffer@in')?.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF) ?? -1) >= 0);
  const shown = new Frame();
  shown.alloc();
  ok((graph.getFilter('buffersink@out')?.buffersinkGetFrameSync(shown) ?? -1) >= 0, chain);
  return shown;
}

/** Noise: colours that lie in no RGB are among it. */
function makeNoise(
  layout: string,
  { width, height }: { width: number; height: number },
  colours: string,
): Frame {
  const noise = ['r', 'g', 'b'].map((plane, index) => `${plane}='random(${index})*255'`).join(':');
  const source = `nullsrc=s=${width}x${height}:d=0.04,format=gbrp,geq=${noise}`;
  return runFilters(`${source},format=${layout},setparams=${colours},buffersink@out`, null);
}

function plainPicture(frame: Frame, layout: string, width: number): Buffer {
  const { height, format, colorSpace, colorRange } = frame;
  const isHd =
    colorSpace === AVCOL_SPC_UNSPECIFIED && height >= HD_HEIGHT_MIN && !/rgb|gbr|pal8/.test(layout);
  const source = `video_size=${frame.width}x${height}:pix_fmt=${format}:time_base=1/1000:pixel_aspect=1/1`;
  const scale = `scale=${width}:${height}:flags=${PLAIN_FLAGS}${isHd ? ':in_color_matrix=bt709' : ''}`;
  const chain = `buffer@in=${source}:colorspace=${colorSpace}:range=${colorRange},${scale},format=rgb24,buffersink@out`;
  using shown = runFilters(chain, frame);
  return shown.toBuffer();
}

for (const layout of LAYOUTS) {
  test(`frames laid out as ${layout} become the pictures of the plain conversion`, () => {
    for (const sides of SIDES) {
      for (const colours of COLOURS) {
        using frame = makeNoise(layout, sides, colours);
        const { width, rgb } = toUprightPicture(frame, { turn: 'none', pixelAspect: sides.pixelAspect });
        ok(rgb.equals(plainPicture(frame, layout, width)), `${JSON.stringify(sides)} ${colours}`);
      }
    }
  });
}

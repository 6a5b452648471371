/** A frame as models see it: upright, square pixels, progressive, SDR, RGB. Streams change, so filters are built anew. */
import { availableParallelism } from 'node:os';
import {
  AV_BUFFERSRC_FLAG_KEEP_REF,
  AV_FRAME_FLAG_INTERLACED,
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_P010LE,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT2020_CL,
  AVCOL_SPC_RGB,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
} from 'node-av/constants';
import { avGetPixFmtName, FilterGraph, Frame } from 'node-av/lib';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { Picture } from '../media/picture.ts';
import type { DecodeLimits } from '../protocol/decode-protocol.ts';
import { assertDone, assertMedia } from './av-fault.ts';
import { type Display, shownSides, squareSides, turnFilters } from './display.ts';

/** Larger than any camera's video (8K has 33 megapixels); a decoder keeps up to 16 frames. */
const FRAME_PIXELS_MAX = 8192 * 4608;
/** Players assume BT.709 for HD material without a colour matrix, and BT.601 for smaller. */
export const HD_HEIGHT_MIN = 720;
/** A frame is converted while others are encoded, so more threads would only take turns. */
const THREADS_MAX = 4;
/** Exact arithmetic and full chroma, since the models look at single pixels. */
const SCALE_FLAGS = 'bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';
/** The scaler is twice as fast into planes, which are laid together after it for the same bytes; not for some RGB layouts. */
const INTERLEAVED: readonly string[] = ['format=gbrp', `scale=flags=${SCALE_FLAGS}`];
/** BT.2408: diffuse white lies near 203 cd/m², so that a face in HDR comes out as bright as in SDR. */
const HDR_WHITE_NITS = 203;

/** Throws MediaFaultFound if a frame is larger than what may be decoded. */
export function assertFrameBounds(frame: Frame, display: Display, limits: DecodeLimits): void {
  const { width, height } = shownSides(frame, display);
  const pixelsMax = Math.min(limits.pixelsMax, FRAME_PIXELS_MAX);
  if (width * height <= pixelsMax && Math.max(width, height) <= limits.sidePixelsMax) return;
  const found = `the video's frames have ${width * height} pixels (${width} × ${height})`;
  throw new MediaFaultFound('too_many_pixels', `${found}; at most ${pixelsMax} are accepted`);
}

/** `rgba` gives four bytes a pixel; else transparency is laid on black. A side longer than `sideMax` is scaled down. */
export function toUprightPicture(
  frame: Frame,
  display: Display,
  format: 'rgb24' | 'rgba' = 'rgb24',
  sideMax: number = Number.POSITIVE_INFINITY,
): Picture {
  using graph = new FilterGraph();
  graph.alloc();
  const prepared = [...planar(frame), ...progressive(frame), ...standardRange(frame)];
  // The scaler gives the same bytes with any number of threads; that is not known of the other filters.
  graph.nbThreads = prepared.length > 0 ? 1 : Math.min(THREADS_MAX, availableParallelism());
  const filters = [
    ...prepared,
    ...rgb(frame, display, sideMax),
    ...(format === 'rgb24' && !isRgb(frame) ? INTERLEAVED : []),
    `format=${format}`,
    ...turnFilters(display.turn),
  ];
  const chain = [sourceOf(frame), ...filters, 'buffersink@out'].join(',');
  // What the chain says of the frame comes from the file, so a refusal is the file's fault.
  assertMedia(graph.parse2(chain), 'a frame names a colour space or sides that do not exist');
  assertMedia(graph.configSync(), 'a frame has a pixel format that cannot be shown');
  const source = graph.getFilter('buffer@in');
  const sink = graph.getFilter('buffersink@out');
  if (source === null || sink === null) throw new Error('the filters have no ends');
  using shown = new Frame();
  shown.alloc();
  assertMedia(source.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF), 'a frame cannot be shown');
  // The deinterlacer gives a frame only when it sees the next one or the end.
  assertDone(source.buffersrcAddFrameSync(null), 'the filters take no end');
  assertMedia(sink.buffersinkGetFrameSync(shown), 'a frame cannot be shown');
  const { width, height } = shown;
  const pixels = shown.toBuffer();
  if (pixels.length !== width * height * (format === 'rgba' ? 4 : 3))
    throw new Error(`a frame of ${pixels.length} bytes is no RGB picture`);
  return { width, height, rgb: pixels };
}

function sourceOf({ width, height, format, colorSpace, colorRange }: Frame): string {
  const picture = `video_size=${width}x${height}:pix_fmt=${format}:time_base=1/1000:pixel_aspect=1/1`;
  return `buffer@in=${picture}:colorspace=${colorSpace}:range=${colorRange}`;
}

/** A GPU interleaves chroma; separated as by the CPU's decoders, the same arithmetic follows. */
function planar({ format }: Frame): string[] {
  if (format === AV_PIX_FMT_NV12) return ['format=yuv420p'];
  return format === AV_PIX_FMT_P010LE ? ['format=yuv420p10le'] : [];
}

function progressive(frame: Frame): string[] {
  return frame.hasFlags(AV_FRAME_FLAG_INTERLACED) ? ['yadif=mode=send_frame:deint=all'] : [];
}

/** Converts curves of BT.2100 to BT.709 by linear light. Unstated values get the meaning that cameras give them. */
export function standardRange({ colorTrc, colorPrimaries, colorSpace, colorRange }: Frame): string[] {
  if (colorTrc !== AVCOL_TRC_SMPTE2084 && colorTrc !== AVCOL_TRC_ARIB_STD_B67) return [];
  const transfer = colorTrc === AVCOL_TRC_SMPTE2084 ? 'smpte2084' : 'arib-std-b67';
  const primaries = colorPrimaries === AVCOL_PRI_UNSPECIFIED ? 'primariesin=bt2020:' : '';
  // The library refuses constant luminance with these curves; the usual matrix has the same weights, so greys stay as they are.
  const isUsual = colorSpace === AVCOL_SPC_UNSPECIFIED || colorSpace === AVCOL_SPC_BT2020_CL;
  const matrix = isUsual ? 'matrixin=bt2020nc:' : '';
  const range = colorRange === AVCOL_RANGE_JPEG ? 'full' : 'limited';
  return [
    `zscale=transferin=${transfer}:${primaries}${matrix}rangein=${range}:transfer=linear:npl=${HDR_WHITE_NITS}`,
    'format=gbrpf32le',
    'zscale=primaries=bt709',
    'tonemap=tonemap=hable:desat=0',
    'zscale=transfer=bt709:matrix=gbr:range=full',
    'format=gbrp',
  ];
}

function rgb(frame: Frame, display: Display, sideMax: number): string[] {
  const sides = squareSides(frame, display);
  const scale = Math.min(1, sideMax / Math.max(sides.width, sides.height));
  const [width, height] = [sides.width, sides.height].map((side) => Math.max(1, Math.round(side * scale)));
  const isUnsaid = frame.colorSpace === AVCOL_SPC_UNSPECIFIED && !isRgb(frame);
  const matrix = isUnsaid && frame.height >= HD_HEIGHT_MIN ? ':in_color_matrix=bt709' : '';
  return [`scale=${width}:${height}:flags=${SCALE_FLAGS}${matrix}`];
}

function isRgb({ colorSpace, format }: Frame): boolean {
  return colorSpace === AVCOL_SPC_RGB || /rgb|bgr|gbr|pal8/.test(avGetPixFmtName(format as never) ?? '');
}

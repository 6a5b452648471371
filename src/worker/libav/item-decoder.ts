/** Decodes coded items of a HEIF file, each a key frame of its own. The library's own reader of such files knows no item in several places. */
import {
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_HEVC,
  AV_OPT_TYPE_STRING,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  type AVCodecID,
  type AVColorPrimaries,
  type AVColorSpace,
  type AVColorTransferCharacteristic,
} from 'node-av/constants';
import { Codec, CodecContext, Frame, Packet } from 'node-av/lib';
import { MediaFaultFound } from '../media/media-fault.ts';
import { assertDone, assertMedia } from './av-fault.ts';
import type { HeifColours, HeifItem } from './heif-items.ts';

const CODECS: ReadonlyMap<string, AVCodecID> = new Map([
  ['hvc1', AV_CODEC_ID_HEVC],
  ['hev1', AV_CODEC_ID_HEVC],
  ['av01', AV_CODEC_ID_AV1],
]);
/** Threads of one picture share its rows; more of them only take turns with the other children. */
const THREADS = 2;

export class ItemDecoder implements Disposable {
  readonly #context = new CodecContext();
  readonly #frame = new Frame();
  readonly #packet = new Packet();
  readonly settings: Buffer;

  /** Throws MediaFaultFound for an unsupported coding. `pixelsMax` holds whatever sides the file states. */
  constructor({ type, settings }: HeifItem, pixelsMax: number) {
    const id = CODECS.get(type);
    const codec = id === undefined ? null : Codec.findDecoder(id);
    if (codec === null) {
      const what = `the HEIF picture is coded as ${JSON.stringify(type)}, which is not read here`;
      throw new MediaFaultFound('unsupported_media_type', what);
    }
    if (settings === null) throw new MediaFaultFound('corrupt', 'the HEIF data lacks its decoder settings');
    this.settings = settings;
    this.#context.allocContext3(codec);
    this.#frame.alloc();
    this.#packet.alloc();
    this.#context.extraData = settings;
    this.#context.threadCount = THREADS;
    try {
      assertDone(
        this.#context.setOption('max_pixels', String(pixelsMax), AV_OPT_TYPE_STRING),
        'the decoder takes no bound',
      );
      assertMedia(this.#context.open2Sync(codec, null), 'the HEIF data cannot be decoded');
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The picture of an item with the same settings, valid until the next call. */
  decode(data: Buffer, colours: HeifColours | null): Frame {
    this.#frame.unref();
    this.#context.flushBuffers();
    this.#packet.unref();
    this.#packet.data = data;
    const damaged = 'a part of the HEIF picture is damaged';
    assertMedia(this.#context.sendPacketSync(this.#packet), damaged);
    assertMedia(this.#context.sendPacketSync(null), damaged);
    assertMedia(this.#context.receiveFrameSync(this.#frame), damaged);
    name(this.#frame, colours);
    return this.#frame;
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#frame.free();
    this.#context.freeContext();
  }
}

/** The file's colours override the coded picture's; without either, BT.601's matrix (ISO/IEC 23000-22 7.3.6.4). */
function name(frame: Frame, colours: HeifColours | null): void {
  const isSaid = (code: number) => code !== AVCOL_SPC_UNSPECIFIED;
  if (colours !== null) {
    const { primaries, transfer, matrix, isFullRange } = colours;
    if (isSaid(primaries)) frame.colorPrimaries = primaries as AVColorPrimaries;
    if (isSaid(transfer)) frame.colorTrc = transfer as AVColorTransferCharacteristic;
    if (isSaid(matrix)) frame.colorSpace = matrix as AVColorSpace;
    frame.colorRange = isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  }
  if (!isSaid(frame.colorSpace)) frame.colorSpace = AVCOL_SPC_SMPTE170M;
}

/**
 * A container of video or sound, opened for reading: which streams are analysed, its packets, and seeking. Only
 * the demuxers and decoders of the type that the first bytes showed are let near the file, and no protocol but `file`: the
 * playlist formats among the library's demuxers open other files and addresses.
 */
import { statSync } from 'node:fs';
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  type AVDiscard,
  AVFMT_TS_DISCONT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants';
import { avGetCodecName, Codec, Dictionary, FormatContext, Packet, type Stream } from 'node-av/lib';
import { formatOf } from '../../domain/media/formats.ts';
import { assertMedia, isEnd } from './av-fault.ts';

/** The library's word for “no time”. */
export const NO_TIME = -(2n ** 63n);
const MICROSECONDS = 1_000_000;

/** Looking at more streams than a newsroom's file ever has costs memory for each (the library's own bound is 1000). */
const STREAMS_MAX = 64;

export class Container implements Disposable {
  readonly #format = new FormatContext();
  readonly #packet = new Packet();
  readonly #decoders: ReadonlySet<string>;
  readonly sizeBytes: number;
  readonly streams: Stream[];
  /** The moving picture, not a cover; null if there is none that can be decoded. */
  readonly video: Stream | null;
  readonly audio: Stream | null;
  /** A read failed other than by the file's end. */
  isReadBroken = false;

  private constructor(path: string, mime: string, name: string) {
    const { demuxers, decoders } = formatOf(mime) ?? {};
    if (demuxers === undefined || decoders === undefined) throw new Error(`no reader is named for ${mime}`);
    this.#decoders = new Set(decoders.split(','));
    const what = `the ${name} data is damaged or ends early`;
    this.sizeBytes = statSync(path).size;
    this.#format.allocContext();
    this.#format.maxStreams = STREAMS_MAX;
    const options = Dictionary.fromObject({
      protocol_whitelist: 'file',
      format_whitelist: demuxers,
      codec_whitelist: decoders,
    });
    assertMedia(this.#format.openInputSync(path, null, options), what);
    this.#packet.alloc();
    try {
      assertMedia(this.#format.findStreamInfoSync(null), what);
      this.streams = this.#format.streams;
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
    this.video = this.#choose(AVMEDIA_TYPE_VIDEO, ({ codecpar }) => codecpar.width * codecpar.height);
    this.audio = this.#choose(AVMEDIA_TYPE_AUDIO, () => 0);
  }

  /** Throws MediaFaultFound if the data is no such container; `name` is the type's, for sentences. */
  static open(path: string, { mime, name }: { mime: string; name: string }): Container {
    return new Container(path, mime, name);
  }

  /** The demuxer, as the library names it. */
  get formatName(): string {
    return this.#format.iformat?.name ?? '';
  }

  /** Whether its clock may begin anew within the file, as in recorded broadcasts. */
  get mayRestartClock(): boolean {
    return ((this.#format.iformat?.flags ?? 0) & AVFMT_TS_DISCONT) !== 0;
  }

  /** What the file says of itself as a whole, by the names that its container has for it. */
  get tags(): Readonly<Record<string, string>> {
    return this.#format.metadata?.getAll() ?? {};
  }

  /** As the header says or the library estimates; null if neither does. */
  get claimedSeconds(): number | null {
    const { duration } = this.#format;
    return duration > 0n ? Number(duration) / MICROSECONDS : null;
  }

  /** Where the file's clock begins, seconds. */
  get startSeconds(): number {
    const { startTime } = this.#format;
    return startTime === NO_TIME ? 0 : Number(startTime) / MICROSECONDS;
  }

  /** The codecs of all streams, for the sentence that none of them can be decoded. */
  describeStreams(): string {
    const names = this.streams.map(({ codecpar }) => avGetCodecName(codecpar.codecId) ?? 'unknown');
    return names.slice(0, 8).join(', ') || 'no streams';
  }

  /** Null if there is none, or none that the format needs. */
  decoderOf({ codecpar }: Stream): Codec | null {
    const codec = Codec.findDecoder(codecpar.codecId);
    return codec?.name != null && this.#decoders.has(codec.name) ? codec : null;
  }

  /** Which packets are read: all others are skipped by the demuxer, at best without reading their bytes. */
  readOnly(stream: Stream, discard: AVDiscard = AVDISCARD_DEFAULT): void {
    for (const other of this.streams) other.discard = other.index === stream.index ? discard : AVDISCARD_ALL;
  }

  /** The next packet of `stream`, valid until the next call; null at the end or if nothing more can be read. */
  readPacket(stream: Stream): Packet | null {
    for (;;) {
      this.#packet.unref();
      const code = this.#format.readFrameSync(this.#packet);
      if (code < 0) {
        // Even “out of memory” is the file's: a packet that claims gigabytes.
        if (!isEnd(code)) this.isReadBroken = true;
        return null;
      }
      if (this.#packet.streamIndex === stream.index) return this.#packet;
    }
  }

  /** To the last key frame at or before a time of the stream; false if the container cannot. */
  seek(stream: Stream, timestamp: bigint): boolean {
    return this.#format.seekFrameSync(stream.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#format.closeInputSync();
  }

  /** The stream marked as default, of several the largest, of equals the first. */
  #choose(type: number, sizeOf: (stream: Stream) => number): Stream | null {
    let best: Stream | null = null;
    let bestRank = -1;
    for (const stream of this.streams) {
      const { codecpar } = stream;
      if (codecpar.codecType !== type || isStill(stream)) continue;
      if (this.decoderOf(stream) === null) continue;
      const rank = (stream.hasDisposition(AV_DISPOSITION_DEFAULT) ? 2 ** 40 : 0) + sizeOf(stream);
      if (rank <= bestRank) continue;
      best = stream;
      bestRank = rank;
    }
    return best;
  }
}

function isStill(stream: Stream): boolean {
  return (
    stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC) ||
    stream.hasDisposition(AV_DISPOSITION_TIMED_THUMBNAILS)
  );
}

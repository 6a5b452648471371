/** A container for reading: only its type's demuxers and decoders, and no protocol but `file`, as playlists open others. */
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
import { formatOf, type MediaType } from '../../domain/media/formats.ts';
import { assertMedia, isEnd } from './av-fault.ts';

/** The library's value for “no time”. */
export const NO_TIME = -(2n ** 63n);
const MICROSECONDS = 1_000_000;

/** Each stream that is looked at costs memory; a newsroom's file never has more (the library's own bound is 1000). */
const STREAMS_MAX = 64;

/** Bytes of a file, from `start` to before `end`; null: to its end. */
export interface ByteRange {
  start: number;
  end: number | null;
}

export const WHOLE: ByteRange = { start: 0, end: null };

type TypeName = Pick<MediaType, 'mime' | 'name'>;

interface HowToOpen {
  range: ByteRange;
  isParsed: boolean;
}

export class Container implements Disposable {
  readonly #format = new FormatContext();
  readonly #packet = new Packet();
  readonly #decoders: ReadonlySet<string>;
  readonly sizeBytes: number;
  /** The moving pictures that can be decoded, without covers; the one that players show first comes first. */
  readonly pictures: readonly Stream[];
  /** The tracks of sound that can be decoded; the one that players play first comes first. */
  readonly sounds: readonly Stream[];
  /** A read failed other than at the file's end. */
  isReadBroken = false;

  private constructor(path: string, { mime, name }: TypeName, { range, isParsed }: HowToOpen) {
    const { demuxers, decoders } = formatOf(mime) ?? {};
    if (demuxers === undefined || decoders === undefined) throw new Error(`no reader is named for ${mime}`);
    this.#decoders = new Set(decoders.split(','));
    const what = `the ${name} data is damaged or ends early`;
    this.sizeBytes = statSync(path).size;
    this.#format.allocContext();
    this.#format.maxStreams = STREAMS_MAX;
    // `subfile` is our own protocol for a part of the one file: no allowed demuxer names another.
    const options = Dictionary.fromObject({
      protocol_whitelist: 'file,subfile',
      format_whitelist: demuxers,
      codec_whitelist: decoders,
      ...(isParsed ? {} : { fflags: 'noparse+nofillin' }),
    });
    assertMedia(this.#format.openInputSync(addressOf(path, range), null, options), what);
    this.#packet.alloc();
    try {
      if (isParsed) assertMedia(this.#format.findStreamInfoSync(null), what);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
    this.pictures = this.#rank(AVMEDIA_TYPE_VIDEO, ({ codecpar }) => codecpar.width * codecpar.height);
    this.sounds = this.#rank(AVMEDIA_TYPE_AUDIO, () => 0);
  }

  /** Throws MediaFaultFound if the data is no such container; `type` is named in sentences. */
  static open(path: string, type: TypeName, range: ByteRange = WHOLE): Container {
    return new Container(path, type, { range, isParsed: true });
  }

  /** Opens a file for its packets and stamps alone, without analysing its streams. */
  static openUnparsed(path: string, type: TypeName): Container {
    return new Container(path, type, { range: WHOLE, isParsed: false });
  }

  /** More streams may be found while it is read. */
  get streams(): Stream[] {
    return this.#format.streams;
  }

  get video(): Stream | null {
    return this.pictures[0] ?? null;
  }

  get audio(): Stream | null {
    return this.sounds[0] ?? null;
  }

  get formatName(): string {
    return this.#format.iformat?.name ?? '';
  }

  /** How sure the library is that the demuxer is the right one, 0..100. */
  get probeScore(): number {
    return this.#format.probeScore;
  }

  /** Whether its clock may begin anew within the file, as in recorded broadcasts. */
  get mayRestartClock(): boolean {
    return ((this.#format.iformat?.flags ?? 0) & AVFMT_TS_DISCONT) !== 0;
  }

  /** Tags of the file as a whole, by their names in its container. */
  get tags(): Readonly<Record<string, string>> {
    return this.#format.metadata?.getAll() ?? {};
  }

  /** From the header or the library's estimate; null without either. */
  get claimedSeconds(): number | null {
    const { duration } = this.#format;
    return duration > 0n ? Number(duration) / MICROSECONDS : null;
  }

  get startSeconds(): number {
    const { startTime } = this.#format;
    return startTime === NO_TIME ? 0 : Number(startTime) / MICROSECONDS;
  }

  /** The codecs of all streams, for the sentence that none of them can be decoded. */
  describeStreams(): string {
    const names = this.streams.map(codecNameOf);
    return names.slice(0, 8).join(', ') || 'no streams';
  }

  /** Null if there is none, or the format does not need it. */
  decoderOf({ codecpar }: Stream): Codec | null {
    const codec = Codec.findDecoder(codecpar.codecId);
    return codec?.name != null && this.#decoders.has(codec.name) ? codec : null;
  }

  /** The demuxer skips packets of all other streams, at best without reading their bytes. */
  readOnly(stream: Stream, discard: AVDiscard = AVDISCARD_DEFAULT): void {
    for (const other of this.streams) other.discard = other.index === stream.index ? discard : AVDISCARD_ALL;
  }

  /** The next packet of `stream`, or of any; valid until the next call; null at the end or if nothing more can be read. */
  readPacket(stream: Stream | null): Packet | null {
    for (;;) {
      this.#packet.unref();
      const code = this.#format.readFrameSync(this.#packet);
      if (code < 0) {
        // Even “out of memory” is the file's fault: a packet that claims gigabytes.
        if (!isEnd(code)) this.isReadBroken = true;
        return null;
      }
      if (stream === null || this.#packet.streamIndex === stream.index) return this.#packet;
    }
  }

  /** Seeks to the last key frame at or before a time of the stream; false if the container cannot. */
  seek(stream: Stream, timestamp: bigint): boolean {
    return this.#format.seekFrameSync(stream.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
  }

  [Symbol.dispose](): void {
    this.#packet.free();
    this.#format.closeInputSync();
  }

  /** The stream marked as default first, of several the largest, of equals the first. */
  #rank(type: number, sizeOf: (stream: Stream) => number): Stream[] {
    const rankOf = (stream: Stream) =>
      (stream.hasDisposition(AV_DISPOSITION_DEFAULT) ? 2 ** 40 : 0) + sizeOf(stream);
    return this.streams
      .filter((stream) => {
        const isOfType = stream.codecpar.codecType === type && !isStill(stream);
        return isOfType && this.decoderOf(stream) !== null;
      })
      .map((stream) => ({ stream, rank: rankOf(stream) }))
      .sort((one, other) => other.rank - one.rank)
      .map(({ stream }) => stream);
  }
}

function addressOf(path: string, { start, end }: ByteRange): string {
  return start === 0 && end === null ? path : `subfile,,start,${start},end,${end ?? 0},,:${path}`;
}

export function codecNameOf({ codecpar }: Stream): string {
  return avGetCodecName(codecpar.codecId) ?? 'unknown';
}

function isStill(stream: Stream): boolean {
  return (
    stream.hasDisposition(AV_DISPOSITION_ATTACHED_PIC) ||
    stream.hasDisposition(AV_DISPOSITION_TIMED_THUMBNAILS)
  );
}

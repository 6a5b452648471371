/** Decodes one stream, and skips what cannot be decoded: files are often damaged in places. Synchronous, as is fastest. */
import { availableParallelism } from 'node:os';
import { CodecContext, Frame, type HardwareDeviceContext, type Packet, type Stream } from 'node-av/lib';
import { MediaFaultFound } from '../media/media-fault.ts';
import type { VideoDecoder } from '../protocol/decoded-media.ts';
import { assertDone, assertMedia, assertNotOwnFault } from './av-fault.ts';
import type { Container } from './container.ts';

/** Each thread holds frames of its own: more cost memory and, after a seek, frames decoded ahead in vain. */
const THREADS_MAX = 4;
/** An 8K frame of 10 bits takes 100 MB: with several threads a decoder would exceed the child's memory. */
const THREADED_PIXELS_MAX = 4096 * 2304;

export class StreamDecoder implements Disposable {
  readonly #container: Container;
  readonly #stream: Stream;
  readonly #context = new CodecContext();
  readonly #frame = new Frame();
  /** A frame of the GPU, copied to normal memory. */
  readonly #fetched = new Frame();
  #usesGpu = false;
  #isDraining = false;
  badPackets = 0;

  /** With a GPU it decodes there what the GPU can, else on the CPU: the frames are the same. */
  constructor(container: Container, stream: Stream, gpu: HardwareDeviceContext | null = null) {
    this.#container = container;
    this.#stream = stream;
    const { codecpar } = stream;
    const codec = container.decoderOf(stream);
    if (codec === null)
      throw new MediaFaultFound(
        'unsupported_media_type',
        `what the file holds cannot be decoded (${container.describeStreams()})`,
      );
    this.#context.allocContext3(codec);
    this.#frame.alloc();
    this.#fetched.alloc();
    try {
      assertMedia(this.#context.parametersToContext(codecpar), 'the codec parameters are damaged');
      this.#context.pktTimebase = stream.timeBase;
      const isSmall = codecpar.width * codecpar.height <= THREADED_PIXELS_MAX;
      this.#context.threadCount = isSmall ? Math.min(THREADS_MAX, availableParallelism()) : 1;
      if (gpu !== null) this.#context.hwDeviceCtx = gpu;
      assertMedia(this.#context.open2Sync(codec, null), `the ${codec.name} stream cannot be decoded`);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The next frame, valid until the next call; null at the end. */
  next(): Frame | null {
    for (;;) {
      this.#frame.unref();
      const code = this.#context.receiveFrameSync(this.#frame);
      if (code >= 0) return this.#frame.isHwFrame() ? this.#fetch() : this.#frame;
      assertNotOwnFault(code);
      if (this.#isDraining) return null;
      // Any other code than “try again” is a frame that could not be decoded; the next packet is tried.
      this.#feed(this.#container.readPacket(this.#stream));
    }
  }

  get decoder(): VideoDecoder {
    return this.#usesGpu ? 'nvdec' : 'cpu';
  }

  /** Called after the container was moved: the decoder still holds frames of the old place. */
  restart(): void {
    this.#context.flushBuffers();
    this.#isDraining = false;
  }

  [Symbol.dispose](): void {
    this.#frame.free();
    this.#fetched.free();
    this.#context.freeContext();
  }

  #fetch(): Frame {
    this.#usesGpu = true;
    this.#fetched.unref();
    assertDone(this.#frame.hwframeTransferDataSync(this.#fetched), 'a frame cannot be fetched from the GPU');
    assertDone(this.#fetched.copyProps(this.#frame), 'a frame’s times cannot be copied');
    return this.#fetched;
  }

  #feed(packet: Packet | null): void {
    if (packet === null) this.#isDraining = true;
    const code = this.#context.sendPacketSync(packet);
    if (code >= 0) return;
    assertNotOwnFault(code);
    if (packet !== null) this.badPackets += 1;
  }
}

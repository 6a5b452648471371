/** Chooses the decoder of video: the CPU, or the GPU if the operator has asked for it and there is one. */
import type { Logger } from 'pino';
import type { VideoDecoderChoice } from '../../worker/protocol/decode-protocol.ts';
import type { VideoDecoder } from '../../worker/protocol/decoded-media.ts';
import type { DecodePool } from './decode-pool.ts';

export class VideoDecoding {
  readonly #choice: VideoDecoderChoice;
  /** Null if a GPU was found, or none is wanted. */
  #fault: string | null = null;

  constructor(choice: VideoDecoderChoice) {
    this.#choice = choice;
  }

  /** Asks a decode child, since only its walls decide what it can reach. */
  async look(pool: Pick<DecodePool, 'run'>, log: Pick<Logger, 'warn'>): Promise<void> {
    if (this.#choice === 'cpu') return;
    const { fault } = await pool.run('analysis', (slot) => slot.request({ type: 'find-gpu' }));
    this.#fault = fault;
    if (fault !== null) log.warn({ fault, wanted: this.#choice }, 'video is decoded on the CPU');
  }

  get wanted(): VideoDecoder {
    return this.#choice === 'cpu' ? 'cpu' : 'nvdec';
  }

  get decoder(): VideoDecoder {
    return this.#fault === null ? this.wanted : 'cpu';
  }

  /** For status: the decoder, and why it is not the wanted one. */
  get description(): string {
    return this.#fault === null ? this.decoder : `cpu: ${this.#fault}`;
  }

  /** Why nothing may be analysed; null if it may. */
  get notReadyReason(): string | null {
    if (this.#choice !== 'require-gpu' || this.#fault === null) return null;
    return `decode.video is require-gpu, and ${this.#fault}`;
  }
}

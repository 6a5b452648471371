/** Sounds that wait for the speech detector. They take turns, some steps each, so that a long one holds up no one. */
import type { InferenceResponse, PackRequest } from '../protocol/inference-protocol.ts';
import { Detection } from './detection.ts';
import { toFailed, type WorkQueue } from './request-queue.ts';
import { SoundFile } from './sound-file.ts';
import type { SpeechSession } from './speech-session.ts';

/** About ten milliseconds: as long as a batch of patches holds the process. */
const STEPS_PER_TURN = 8;

interface WaitingSound {
  readonly id: number;
  readonly file: SoundFile;
  readonly detection: Detection;
  readonly arrivedAt: number;
  busyMs: number;
}

export class DetectionQueue implements WorkQueue {
  readonly #session: SpeechSession;
  readonly #waiting: WaitingSound[] = [];

  constructor(session: SpeechSession) {
    this.#session = session;
  }

  get key(): string {
    return this.#session.pack.key;
  }

  add(request: PackRequest, now: number): void {
    if (request.type !== 'detect-speech') throw new Error(`the model ${this.key} only detects speech`);
    const file = SoundFile.open(request.path, request.sampleCount);
    const { gain = 1 } = request;
    const read = (offset: number, samples: Float32Array) => {
      file.read(offset, samples);
      if (gain === 1) return;
      for (let at = 0; at < samples.length; at++)
        samples[at] = Math.max(-1, Math.min(1, (samples[at] ?? 0) * gain));
    };
    const detection = new Detection(this.#session, request.sampleCount, read);
    this.#waiting.push({ id: request.id, file, detection, arrivedAt: now, busyMs: 0 });
  }

  /** Ripe at once: a sound fills its batches alone. */
  ripeAt(): number {
    return this.#waiting[0]?.arrivedAt ?? Number.POSITIVE_INFINITY;
  }

  async runBatch(): Promise<InferenceResponse[]> {
    const sound = this.#waiting.shift();
    if (sound === undefined) return [];
    const { id, file, detection } = sound;
    const startedAt = performance.now();
    try {
      for (let step = 0; step < STEPS_PER_TURN && !detection.isDone; step++) await detection.step();
    } catch (error) {
      file[Symbol.dispose]();
      return [toFailed(id, error)];
    }
    sound.busyMs += performance.now() - startedAt;
    if (!detection.isDone) {
      this.#waiting.push(sound);
      return [{ type: 'working', id }];
    }
    file[Symbol.dispose]();
    return [{ type: 'detected', id, probabilities: detection.probabilities, elapsedMs: sound.busyMs }];
  }

  drop(id: number, message: string): InferenceResponse[] {
    const at = this.#waiting.findIndex((sound) => sound.id === id);
    return at < 0 ? [] : end(this.#waiting.splice(at, 1), message);
  }

  clear(message: string): InferenceResponse[] {
    return end(this.#waiting.splice(0), message);
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}

function end(sounds: readonly WaitingSound[], message: string): InferenceResponse[] {
  return sounds.map(({ id, file }) => {
    file[Symbol.dispose]();
    return toFailed(id, message);
  });
}

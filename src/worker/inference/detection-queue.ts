/** Sounds that wait for the speech detector. They take turns, some steps each, so that a long one holds up no one. */
import type { InferenceResponse, PackRequest } from '../protocol/inference-protocol.ts';
import { Detection } from './detection.ts';
import { WorkQueue } from './request-queue.ts';
import { SoundFile } from './sound-file.ts';
import type { SpeechSession } from './speech-session.ts';

/** About ten milliseconds: as long as a batch of patches holds the process. */
const STEPS_PER_TURN = 8;

interface WaitingSound {
  readonly id: number;
  readonly source: SoundFile;
  readonly detection: Detection;
  readonly arrivedAt: number;
  busyMs: number;
}

export class DetectionQueue extends WorkQueue<WaitingSound, SpeechSession> {
  add(request: PackRequest, now: number): void {
    if (request.type !== 'detect-speech') throw new Error(`the model ${this.key} only detects speech`);
    const source = SoundFile.open(request.path, request.sampleCount);
    const { gain = 1 } = request;
    const read = (offset: number, samples: Float32Array) => {
      source.read(offset, samples);
      if (gain === 1) return;
      for (let at = 0; at < samples.length; at++)
        samples[at] = Math.max(-1, Math.min(1, (samples[at] ?? 0) * gain));
    };
    const detection = new Detection(this.session, request.sampleCount, read);
    this.waiting.push({ id: request.id, source, detection, arrivedAt: now, busyMs: 0 });
  }

  async runBatch(): Promise<InferenceResponse[]> {
    const [sound] = this.waiting;
    if (sound === undefined) return [];
    const { id, detection } = sound;
    const startedAt = performance.now();
    try {
      for (let step = 0; step < STEPS_PER_TURN && !detection.isDone; step++) await detection.step();
    } catch (error) {
      return this.fail([sound], error);
    }
    sound.busyMs += performance.now() - startedAt;
    if (!detection.isDone) {
      this.waiting.push(...this.waiting.splice(0, 1));
      return [{ type: 'working', id }];
    }
    this.remove([sound]);
    return [{ type: 'detected', id, probabilities: detection.probabilities, elapsedMs: sound.busyMs }];
  }
}

/** Windows of speech that wait to be transcribed, one after the other; other models take turns with each step. */
import type {
  InferenceResponse,
  PackRequest,
  TranscribeRequest,
  WindowText,
} from '../../protocol/inference-protocol.ts';
import { WorkQueue } from '../request-queue.ts';
import { SoundFile } from '../sound-file.ts';
import { WINDOW_SAMPLES } from './mel-spectrogram.ts';
import { transcribeWindow } from './transcribe-window.ts';
import type { WhisperSession } from './whisper-session.ts';

/** Some tenths of a second: a picture's verdict waits no longer, and few turns are spent on switching. */
const STEPS_PER_TURN = 8;

interface WaitingWindow {
  readonly id: number;
  readonly request: TranscribeRequest;
  readonly arrivedAt: number;
  /** Null until its turn. */
  steps: AsyncGenerator<void, WindowText, undefined> | null;
  busyMs: number;
}

export class TranscriptionQueue extends WorkQueue<WaitingWindow, WhisperSession> {
  add(request: PackRequest, now: number): void {
    if (request.type !== 'transcribe') throw new Error(`the model ${this.key} only writes down speech`);
    checkRanges(request);
    this.waiting.push({ id: request.id, request, arrivedAt: now, steps: null, busyMs: 0 });
  }

  async runBatch(): Promise<InferenceResponse[]> {
    const [window] = this.waiting;
    if (window === undefined) return [];
    const { id } = window;
    const startedAt = performance.now();
    try {
      window.steps ??= this.#begin(window.request);
      const text = await advance(window.steps);
      window.busyMs += performance.now() - startedAt;
      if (text === null) return [{ type: 'working', id }];
      this.remove([window]);
      return [{ type: 'transcribed', id, text, elapsedMs: window.busyMs }];
    } catch (error) {
      return this.fail([window], error);
    }
  }

  #begin(request: TranscribeRequest): AsyncGenerator<void, WindowText, undefined> {
    const { path, sampleCount, ranges, language } = request;
    using file = SoundFile.open(path, sampleCount);
    const samples = new Float32Array(ranges.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const { offset, length } of ranges) {
      file.read(offset, samples.subarray(at, at + length));
      at += length;
    }
    return transcribeWindow(this.session, { samples, language });
  }
}

async function advance(steps: AsyncGenerator<void, WindowText, undefined>): Promise<WindowText | null> {
  for (let step = 0; step < STEPS_PER_TURN; step++) {
    const { done, value } = await steps.next();
    if (done === true) return value;
  }
  return null;
}

/** Ranges must be whole numbers inside the sound, in order, and together no more than a window. */
function checkRanges({ sampleCount, ranges }: TranscribeRequest): void {
  let [before, total] = [0, 0];
  for (const { offset, length } of ranges) {
    const isRange = Number.isInteger(offset) && Number.isInteger(length) && length >= 1;
    if (!isRange || offset < before || offset + length > sampleCount) {
      throw new Error(
        `a piece of ${length} samples from ${offset} on does not follow inside ${sampleCount} samples`,
      );
    }
    before = offset + length;
    total += length;
  }
  if (total < 1 || total > WINDOW_SAMPLES) {
    throw new Error(`a window must have 1 to ${WINDOW_SAMPLES} samples, not ${total}`);
  }
}

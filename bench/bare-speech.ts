/**
 * What the analysis of a recording cannot do without, in one process: decode it to samples, find speech, run the same
 * models on the same windows. No upload, store, isolation, files or record.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isSpeechPack, SOUND_SAMPLE_RATE, type SpeechPack } from '../src/domain/packs/model-pack.ts';
import { findSpeech, placeWindows, planClips, uniteClips } from '../src/domain/verdicts/speech.ts';
import { findDetector, findPacks, toLoadedPack } from '../src/engine/packs/installed-packs.ts';
import { Detection } from '../src/worker/inference/detection.ts';
import { PackSession } from '../src/worker/inference/pack-session.ts';
import { SpeechSession } from '../src/worker/inference/speech-session.ts';
import { Container } from '../src/worker/libav/container.ts';
import { monoFloats, Resampler } from '../src/worker/libav/resampler.ts';
import { StreamDecoder } from '../src/worker/libav/stream-decoder.ts';
import { timeWork, type WorkTime } from './timed-work.ts';

const MODELS = join(import.meta.dirname, '..', 'models');
const BATCH = 8;
const CORES = availableParallelism();
const CPU = { provider: 'cpu', precision: 'full' } as const;

interface Model {
  pack: SpeechPack;
  session: PackSession;
}

export class BareSpeech implements AsyncDisposable {
  readonly #models: readonly Model[];
  readonly #detector: SpeechSession;

  private constructor(models: readonly Model[], detector: SpeechSession) {
    this.#models = models;
    this.#detector = detector;
  }

  static async open(): Promise<BareSpeech> {
    const models: Model[] = [];
    for (const found of (await findPacks([MODELS])).installed) {
      const { pack } = found;
      const loaded = toLoadedPack(found);
      if (!isSpeechPack(pack) || loaded.input.kind !== 'windows') continue;
      const options = { threads: CORES, batchMax: BATCH };
      const input = loaded.input;
      models.push({ pack, session: await PackSession.open({ ...loaded, input }, CPU, options) });
    }
    const [found] = (await findDetector()).installed;
    const loaded = found && toLoadedPack(found);
    if (models.length === 0 || loaded?.input.kind !== 'speech') throw new Error('there is no speech pack');
    const { input } = loaded;
    return new BareSpeech(models, await SpeechSession.open({ ...loaded, input }, CPU, CORES));
  }

  /** Judges one recording after the other. */
  async run(paths: readonly string[], type: { mime: string; name: string }): Promise<WorkTime> {
    return await timeWork(null, async () => {
      for (const path of paths) await this.#judge(decode(path, type));
    });
  }

  async #judge(samples: Float32Array): Promise<void> {
    const read = (offset: number, into: Float32Array) => readSamples(samples, offset, into);
    const detection = new Detection(this.#detector, samples.length, read);
    while (!detection.isDone) await detection.step();
    const seconds = samples.length / SOUND_SAMPLE_RATE;
    const frameSeconds = this.#detector.pack.input.frameSamples / SOUND_SAMPLE_RATE;
    const speech = findSpeech(detection.probabilities, frameSeconds, seconds);
    const judged = uniteClips(planClips(speech, seconds));
    const sound = { sampleRate: SOUND_SAMPLE_RATE, sampleCount: samples.length };
    for (const { pack, session } of this.#models) {
      const ranges = placeWindows(judged, pack.view, sound);
      if (ranges.length === 0) throw new Error('the recording holds no speech');
      for (let first = 0; first < ranges.length; first += BATCH) {
        const batch = ranges.slice(first, first + BATCH);
        for (const [index, { offset, length }] of batch.entries())
          readSamples(samples, offset, session.place(index).subarray(0, length));
        await session.run(batch.length);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { session } of this.#models) await session.release();
    await this.#detector.release();
  }
}

function decode(path: string, type: { mime: string; name: string }): Float32Array {
  using container = Container.open(path, type);
  const stream = container.audio;
  if (stream === null) throw new Error('the recording has no sound');
  container.readOnly(stream);
  using decoder = new StreamDecoder(container, stream);
  using resampler = new Resampler(monoFloats(SOUND_SAMPLE_RATE));
  const pieces: Buffer[] = [];
  const take = (samples: Buffer) => void pieces.push(Buffer.from(samples));
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) resampler.feed(frame, take);
  resampler.flush(take);
  const bytes = Buffer.concat(pieces);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Silence beyond the ends. */
function readSamples(samples: Float32Array, offset: number, into: Float32Array): void {
  into.fill(0);
  const from = Math.max(0, offset);
  into.set(samples.subarray(from, offset + into.length), from - offset);
}

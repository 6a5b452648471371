/** Asks one speech model about the windows of a sound, in pieces, so that the first can be shown early. */
import { packKey, SOUND_SAMPLE_RATE, type SpeechPack } from '../../domain/packs/model-pack.ts';
import { boundedBySpeech, type MeasuredSpeech } from '../../domain/verdicts/pack-bounds.ts';
import type { ModelRun } from '../../domain/verdicts/result.ts';
import { type PlannedClip, type SampleRange, secondsOf } from '../../domain/verdicts/speech.ts';
import type { SoundFile } from '../../worker/protocol/decoded-media.ts';
import { settled } from './analysis-parts.ts';
import { toAnsweredRun, toMissingRun, toUnknownRun } from './calibration.ts';
import type { QueuedPack } from './image-runs.ts';
import type { SoundParts, SoundWork } from './sound-work.ts';

export interface WindowAnswer {
  queued: QueuedPack<SpeechPack>;
  /** Empty if the sound holds too little speech. */
  ranges: SampleRange[];
  /** One per range. */
  logits: Float32Array;
  elapsedMs: number;
  device: string;
}

/** Four full batches: worth a report each, and the pieces of one sound keep several processes busy. */
const WINDOWS_PER_REQUEST = 32;

/** `onAnswered` is called after each piece with the windows answered so far, in order. */
export async function askWindows(
  { inference, inferTimeoutMs }: Pick<SoundParts, 'inference' | 'inferTimeoutMs'>,
  { slot, signal }: Pick<SoundWork, 'slot' | 'signal'>,
  { file, sampleCount }: SoundFile,
  { queued, ranges }: Pick<WindowAnswer, 'queued' | 'ranges'>,
  onAnswered: (soFar: WindowAnswer) => void,
): Promise<WindowAnswer> {
  const pack = queued.found?.pack;
  if (pack === undefined || ranges.length === 0) return noWindows(queued);
  const pieces = cutPieces(ranges);
  const answered: (WindowAnswer | undefined)[] = [];
  const asked = pieces.map(async (piece, index) => {
    const windows = { sampleCount, ranges: piece };
    const { logits, elapsedMs, device } = await inference.infer(
      { pack: packKey(pack), path: slot.outPath(file), count: piece.length, windows },
      { signal, timeoutMs: inferTimeoutMs },
    );
    answered[index] = { queued, ranges: piece, logits, elapsedMs, device };
    onAnswered(join(queued, answered));
  });
  await settled(asked);
  return join(queued, answered);
}

export function noWindows(queued: QueuedPack<SpeechPack>): WindowAnswer {
  return { queued, ranges: [], logits: new Float32Array(), elapsedMs: 0, device: '' };
}

function cutPieces(ranges: readonly SampleRange[]): SampleRange[][] {
  const count = Math.ceil(ranges.length / WINDOWS_PER_REQUEST);
  return Array.from({ length: count }, (_, index) =>
    ranges.slice(index * WINDOWS_PER_REQUEST, (index + 1) * WINDOWS_PER_REQUEST),
  );
}

function join(queued: QueuedPack<SpeechPack>, pieces: readonly (WindowAnswer | undefined)[]): WindowAnswer {
  const known = pieces.flatMap((piece) => piece ?? []);
  return {
    queued,
    ranges: known.flatMap(({ ranges }) => ranges),
    logits: Float32Array.from(known.flatMap(({ logits }) => [...logits])),
    elapsedMs: known.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    device: known[0]?.device ?? '',
  };
}

/** Uses the windows whose middle lies in the clip; band and codec are the whole sound's. */
export function toClipRun(
  { queued, ranges, logits, elapsedMs, device }: WindowAnswer,
  clip: PlannedClip,
  { upperBandDb, codec }: Omit<MeasuredSpeech, 'seconds'>,
): ModelRun {
  const { key, found } = queued;
  if (found === undefined) return toMissingRun(key, 'speech-origin');
  const pack = boundedBySpeech(found.pack, { seconds: secondsOf(clip.speech), upperBandDb, codec });
  const inside = logits.filter((_, window) => isInside(ranges[window], clip));
  if (inside.length === 0) return toUnknownRun(pack, 'no_window');
  const share = (elapsedMs * inside.length) / logits.length;
  return toAnsweredRun(pack, { logits: inside, elapsedMs: share, device });
}

export function countInside({ ranges }: Pick<WindowAnswer, 'ranges'>, clip: PlannedClip): number {
  return ranges.filter((range) => isInside(range, clip)).length;
}

function isInside(range: SampleRange | undefined, clip: PlannedClip): boolean {
  if (range === undefined) return false;
  const middle = (range.offset + range.length / 2) / SOUND_SAMPLE_RATE;
  return middle >= clip.startSeconds && middle <= clip.endSeconds;
}

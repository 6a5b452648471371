/**
 * What the speech models say of decoded sound: speech is found first, since they answer at random about anything
 * else; then windows inside it are asked for, and read together for the whole, for each clip and for each channel.
 */
import {
  isDetectorPack,
  isSpeechPack,
  packKey,
  SOUND_SAMPLE_RATE,
  type SpeechPack,
} from '../domain/model-pack.ts';
import type { ChannelResult, ClipResult, ModelRun } from '../domain/result.ts';
import {
  findSpeech,
  type PlannedClip,
  placeWindows,
  planClips,
  type SpeechSegment,
  secondsOf,
  uniteClips,
} from '../domain/speech.ts';
import type { DecodedSound, SoundFile } from '../worker/protocol.ts';
import type { AnalysisParts } from './analyse-image.ts';
import { toAnsweredRun, toMissingRun, toUnknownRun } from './calibration.ts';
import type { DecodeSlot } from './decode-slot.ts';
import type { QueuedPack } from './image-runs.ts';
import type { InstalledPack } from './packs.ts';
import { WorkerLostError } from './worker-errors.ts';

export type SoundParts = Pick<AnalysisParts, 'inference' | 'inferTimeoutMs' | 'findPack'>;

export interface SoundAnswer {
  speechSeconds: number;
  runs: ModelRun[];
  clips: ClipResult[];
  channels: ChannelResult[];
}

export interface SoundWork {
  slot: Pick<DecodeSlot, 'outPath'>;
  sound: DecodedSound;
  /** Keys of the analysis' packs. */
  models: readonly string[];
  signal: AbortSignal;
  /** Every sound is at most so long. */
  secondsMax: number;
}

/** One sound with its speech and the models' answers. */
interface Heard {
  name: string;
  speechSeconds: number;
  clips: PlannedClip[];
  answers: WindowAnswer[];
}

interface WindowAnswer {
  queued: QueuedPack<SpeechPack>;
  /** In samples; empty where the sound has no room or no speech for a window. */
  offsets: number[];
  logits: Float32Array;
  elapsedMs: number;
}

/** The mix is judged as the whole; where the channels hold different voices, each is judged for itself too. */
const MIX = 'mix';

export async function hearSound(parts: SoundParts, work: SoundWork): Promise<SoundAnswer> {
  const heard: Heard[] = [];
  for (const file of work.sound.sounds) heard.push(await hear(parts, work, file));
  const whole = heard.find(({ name }) => name === MIX) ?? heard[0];
  if (whole === undefined) {
    return { speechSeconds: 0, runs: silentRuns(parts, work), clips: [], channels: [] };
  }
  const channels = heard.filter((one) => one !== whole || whole.name !== MIX);
  return {
    speechSeconds: whole.speechSeconds,
    runs: toRuns(whole),
    clips: whole.clips.map((clip, index) => toClip(whole, clip, index)),
    channels:
      channels.length < 2
        ? []
        : channels.map((one) => ({
            name: one.name,
            speechSeconds: one.speechSeconds,
            runs: toRuns(one),
          })),
  };
}

/** A sound of no channel at all: nothing was heard. */
function silentRuns(parts: SoundParts, { models }: SoundWork): ModelRun[] {
  const none: Heard = { name: MIX, speechSeconds: 0, clips: [], answers: [] };
  const answers = speechPacksOf(models, parts.findPack).map((queued) => ({
    ...{ queued, offsets: [], logits: new Float32Array(), elapsedMs: 0 },
  }));
  return toRuns({ ...none, answers });
}

/** The speech packs among the keys; one that is gone counts as one, since nothing tells what it was. */
function speechPacksOf(
  keys: readonly string[],
  findPack: (key: string) => InstalledPack | undefined,
): QueuedPack<SpeechPack>[] {
  return keys.flatMap((key): QueuedPack<SpeechPack>[] => {
    const found = findPack(key);
    if (found === undefined) return [{ key, found }];
    const { pack } = found;
    return isSpeechPack(pack) ? [{ key, found: { ...found, pack } }] : [];
  });
}

async function hear(parts: SoundParts, work: SoundWork, file: SoundFile): Promise<Heard> {
  // The child has read hostile bytes: more than was asked for would be work without bound.
  if (file.sampleCount > (work.secondsMax + 1) * SOUND_SAMPLE_RATE) {
    throw new WorkerLostError('broken', 'the decoder made a longer sound than it was asked for');
  }
  const segments = await detectSpeech(parts, work, file);
  const clips = planClips(segments, file.sampleCount / SOUND_SAMPLE_RATE);
  const judged = uniteClips(clips);
  const speechSeconds = secondsOf(segments);
  const asked = speechPacksOf(work.models, parts.findPack).map((queued) =>
    askWindows(parts, work, file, { queued, judged, speechSeconds }),
  );
  // Waits for all even where one fails: their files vanish with the slot.
  await Promise.allSettled(asked);
  return { name: file.name, speechSeconds, clips, answers: await Promise.all(asked) };
}

async function detectSpeech(
  { inference, inferTimeoutMs, findPack }: SoundParts,
  { slot, models, signal }: SoundWork,
  { file, sampleCount }: SoundFile,
): Promise<SpeechSegment[]> {
  const detector = models.flatMap((key) => findPack(key)?.pack ?? []).find(isDetectorPack);
  if (detector === undefined || sampleCount === 0) return [];
  const sound = { pack: packKey(detector), path: slot.outPath(file), sampleCount };
  const { probabilities } = await inference.detectSpeech(sound, { signal, timeoutMs: inferTimeoutMs });
  const frameSeconds = detector.view.frameSamples / SOUND_SAMPLE_RATE;
  return findSpeech(probabilities, frameSeconds, sampleCount / SOUND_SAMPLE_RATE);
}

async function askWindows(
  { inference, inferTimeoutMs }: SoundParts,
  { slot, signal }: SoundWork,
  { file, sampleCount }: SoundFile,
  {
    queued,
    judged,
    speechSeconds,
  }: Pick<Heard, 'speechSeconds'> & {
    queued: QueuedPack<SpeechPack>;
    judged: SpeechSegment[];
  },
): Promise<WindowAnswer> {
  const none = { queued, offsets: [], logits: new Float32Array(), elapsedMs: 0 };
  const pack = queued.found?.pack;
  if (pack === undefined || speechSeconds < pack.minimumSpeechSeconds) return none;
  const offsets = placeWindows(judged, pack.view, { sampleRate: SOUND_SAMPLE_RATE, sampleCount });
  if (offsets.length === 0) return none;
  const { logits, elapsedMs } = await inference.infer(
    {
      ...{ pack: packKey(pack), path: slot.outPath(file), count: offsets.length },
      windows: { sampleCount, offsets },
    },
    { signal, timeoutMs: inferTimeoutMs },
  );
  return { queued, offsets, logits, elapsedMs };
}

function toRuns({ speechSeconds, answers }: Heard): ModelRun[] {
  return answers.map(({ queued, logits, elapsedMs }) => {
    const { key, found } = queued;
    if (found === undefined) return toMissingRun(key, 'speech-origin');
    const { pack, report } = found;
    if (logits.length > 0) return toAnsweredRun(pack, { logits, elapsedMs, device: report?.provider ?? '' });
    const needed = `the model needs ${pack.minimumSpeechSeconds} s`;
    return toUnknownRun(pack, `The sound holds ${speechSeconds.toFixed(1)} s of speech; ${needed}.`);
  });
}

function toClip({ answers }: Heard, clip: PlannedClip, index: number): ClipResult {
  const { startSeconds, endSeconds } = clip;
  const runs = answers.map((answer) => toClipRun(answer, clip));
  return { index, startSeconds, endSeconds, runs };
}

/** From the windows whose middle lies in the clip. */
function toClipRun({ queued, offsets, logits, elapsedMs }: WindowAnswer, clip: PlannedClip): ModelRun {
  const { key, found } = queued;
  if (found === undefined) return toMissingRun(key, 'speech-origin');
  const { pack, report } = found;
  const inside = logits.filter((_, window) => {
    const middle = ((offsets[window] ?? 0) + pack.view.windowSamples / 2) / SOUND_SAMPLE_RATE;
    return middle >= clip.startSeconds && middle <= clip.endSeconds;
  });
  if (inside.length === 0)
    return toUnknownRun(pack, 'No window of the model lies in the speech of this clip.');
  const share = (elapsedMs * inside.length) / logits.length;
  return toAnsweredRun(pack, { logits: inside, elapsedMs: share, device: report?.provider ?? '' });
}

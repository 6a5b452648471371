/** Judges decoded sound by speech models: only windows of speech, since they answer at random about anything else. */
import {
  isDetectorPack,
  isSpeechPack,
  packKey,
  SOUND_SAMPLE_RATE,
  type SpeechPack,
} from '../../domain/packs/model-pack.ts';
import { voiceOf } from '../../domain/verdicts/channel-name.ts';
import { decidingRuns } from '../../domain/verdicts/deciding-channel.ts';
import { boundedBySpeech } from '../../domain/verdicts/pack-bounds.ts';
import type { ChannelResult, ClipResult, ModelRun } from '../../domain/verdicts/result.ts';
import {
  detectorGain,
  findSpeech,
  type PlannedClip,
  placeWindows,
  planClips,
  type SampleRange,
  type SpeechSegment,
  secondsOf,
  uniteClips,
} from '../../domain/verdicts/speech.ts';
import type { SpeechFrames } from '../../domain/verdicts/speech-windows.ts';
import type { SoundFile } from '../../worker/protocol/decoded-media.ts';
import { WorkerLostError } from '../children/worker-errors.ts';
import type { InstalledPack } from '../packs/installed-packs.ts';
import { settled } from './analysis-parts.ts';
import { toAnsweredRun, toMissingRun, toUnknownRun } from './calibration.ts';
import type { QueuedPack } from './image-runs.ts';
import type { SoundParts, SoundSpeech, SoundWork } from './sound-work.ts';
import { askWindows, countInside, noWindows, toClipRun, type WindowAnswer } from './speech-windows.ts';

export interface SoundAnswer {
  speechSeconds: number;
  upperBandDb: number | null;
  runs: ModelRun[];
  clips: ClipResult[];
  channels: ChannelResult[];
}

/** Further results: the speech of each voice, or of the deciding sound; empty without speech. */
export interface HeardSpeech {
  answer: SoundAnswer;
  voices: SoundSpeech[];
}

interface Heard {
  name: string;
  speechSeconds: number;
  upperBandDb: number | null;
  codec: string | null;
  file: SoundFile | null;
  segments: SpeechSegment[];
  frames: SpeechFrames;
  clips: PlannedClip[];
  answers: WindowAnswer[];
}

/** Clips are of the mix; channels with different voices are judged separately, and the most suspicious decides. */
const MIX = 'mix';
const NO_FRAMES: SpeechFrames = { probabilities: [], frameSamples: 1 };

export async function hearSound(parts: SoundParts, work: SoundWork): Promise<HeardSpeech> {
  const heard: Heard[] = [];
  for (const file of work.sound.sounds) heard.push(await hear(parts, work, file, isFirstWithSpeech(heard)));
  const whole = wholeOf(heard);
  if (whole === undefined) {
    const none = { speechSeconds: 0, upperBandDb: null, clips: [], channels: [] };
    const answer = { ...none, runs: silentRuns(parts, work) };
    return { answer, voices: [] };
  }
  const apart = heardApart(heard);
  const channels = apart.map(toChannel);
  const answer: SoundAnswer = {
    speechSeconds: whole.speechSeconds,
    upperBandDb: whole.upperBandDb,
    runs: decidingRuns(channels) ?? toRuns(whole),
    clips: whole.clips.map((clip, index) => toClip(whole, clip, index)),
    channels,
  };
  const voices = apart.length === 0 ? toVoice(whole, null) : apart.flatMap((one, at) => toVoice(one, at + 1));
  return { answer, voices };
}

/** Channels with different voices, and tracks that may have others; empty if all hold the same. */
function heardApart(heard: readonly Heard[]): Heard[] {
  const voices = heard.filter(
    ({ name }) => isChannel(name) || !heard.some((other) => isPartOf(other.name, name)),
  );
  return voices.length < 2 ? [] : voices;
}

function isChannel(name: string): boolean {
  return voiceOf(name)?.channel != null;
}

/** Whether another sound is a mix that holds the channel. */
function isPartOf(channel: string, mix: string): boolean {
  return isChannel(channel) && !isChannel(mix) && voiceOf(channel)?.track === voiceOf(mix)?.track;
}

function toChannel(one: Heard): ChannelResult {
  const { name, speechSeconds, upperBandDb } = one;
  return { name, speechSeconds, upperBandDb, runs: toRuns(one) };
}

function toVoice({ file, segments, frames }: Heard, channel: number | null): SoundSpeech[] {
  return file === null ? [] : [{ file, channel, segments, frames }];
}

/** Results of a sound without channels. */
function silentRuns(parts: SoundParts, { models }: SoundWork): ModelRun[] {
  const none: Heard = {
    name: MIX,
    file: null,
    segments: [],
    frames: NO_FRAMES,
    speechSeconds: 0,
    upperBandDb: null,
    codec: null,
    clips: [],
    answers: [],
  };
  return toRuns({ ...none, answers: speechPacksOf(models, parts.findPack).map(noWindows) });
}

/** The speech packs among the keys; a missing one counts, since nothing shows what it was. */
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

/** `isShown`: its findings are shown while it is judged, as those of the whole sound. */
async function hear(
  parts: SoundParts,
  work: SoundWork,
  file: SoundFile,
  isShown: (one: Pick<Heard, 'name' | 'speechSeconds'>) => boolean,
): Promise<Heard> {
  // The child has read hostile bytes, so its sound may be no longer than was asked for.
  if (file.sampleCount > (work.secondsMax + 1) * SOUND_SAMPLE_RATE) {
    throw new WorkerLostError('broken', 'the decoder made a longer sound than it was asked for');
  }
  const { segments, frames } = await detectSpeech(parts, work, file);
  const clips = planClips(segments, file.sampleCount / SOUND_SAMPLE_RATE);
  const judged = uniteClips(clips);
  const speechSeconds = secondsOf(segments);
  const planned = speechPacksOf(work.models, parts.findPack).map((queued) => ({
    queued,
    ranges: placeFor(queued, file, { judged, speechSeconds }),
  }));
  const soFar: Heard = {
    name: file.name,
    file,
    segments,
    frames,
    speechSeconds,
    upperBandDb: file.upperBandDb,
    codec: file.codec,
    clips,
    answers: planned.map(({ queued }) => noWindows(queued)),
  };
  const isWhole = isShown(soFar);
  const asked = planned.map((windows, index) =>
    askWindows(parts, work, file, windows, (answer) => {
      soFar.answers[index] = answer;
      if (isWhole) reportFindings(work, planned, soFar);
    }),
  );
  return { ...soFar, answers: await settled(asked) };
}

/** The sound that counts for the whole: the first track with speech. */
function wholeOf<T extends Pick<Heard, 'name' | 'speechSeconds'>>(heard: readonly T[]): T | undefined {
  const mixes = heard.filter(({ name }) => !isChannel(name));
  return mixes.find(({ speechSeconds }) => speechSeconds > 0) ?? mixes[0] ?? heard[0];
}

function isFirstWithSpeech(before: readonly Heard[]) {
  return (one: Pick<Heard, 'name' | 'speechSeconds'>) =>
    !isChannel(one.name) && wholeOf([...before, one]) === one;
}

async function detectSpeech(
  { inference, inferTimeoutMs, findPack }: SoundParts,
  { slot, models, signal }: SoundWork,
  { file, sampleCount, meanDb }: SoundFile,
): Promise<{ segments: SpeechSegment[]; frames: SpeechFrames }> {
  const detector = models.flatMap((key) => findPack(key)?.pack ?? []).find(isDetectorPack);
  if (detector === undefined || sampleCount === 0) return { segments: [], frames: NO_FRAMES };
  const gain = detectorGain(meanDb);
  const sound = { pack: packKey(detector), path: slot.outPath(file), sampleCount, gain };
  const { probabilities } = await inference.detectSpeech(sound, { signal, timeoutMs: inferTimeoutMs });
  const { frameSamples } = detector.view;
  const frameSeconds = frameSamples / SOUND_SAMPLE_RATE;
  const segments = findSpeech(probabilities, frameSeconds, sampleCount / SOUND_SAMPLE_RATE);
  return { segments, frames: { probabilities, frameSamples } };
}

/** The model's windows; none if there is less speech than it needs. */
function placeFor(
  { found }: QueuedPack<SpeechPack>,
  { sampleCount }: SoundFile,
  { judged, speechSeconds }: { judged: SpeechSegment[]; speechSeconds: number },
): SampleRange[] {
  if (found === undefined || speechSeconds < found.pack.minimumSpeechSeconds) return [];
  return placeWindows(judged, found.pack.view, { sampleRate: SOUND_SAMPLE_RATE, sampleCount });
}

/** Reports the clips whose windows are all answered, and the answered share of all windows. */
function reportFindings(
  { found }: SoundWork,
  planned: Pick<WindowAnswer, 'queued' | 'ranges'>[],
  soFar: Heard,
): void {
  const isWhole = (clip: PlannedClip) =>
    soFar.answers.every((answer, index) => {
      const all = planned[index];
      return all !== undefined && countInside(answer, clip) === countInside(all, clip);
    });
  const clips = soFar.clips.flatMap((clip, index) => (isWhole(clip) ? [toClip(soFar, clip, index)] : []));
  const count = (answers: readonly Pick<WindowAnswer, 'ranges'>[]) =>
    answers.reduce((sum, { ranges }) => sum + ranges.length, 0);
  found({ clips, speech: toRuns(soFar) }, count(soFar.answers) / count(planned));
}

function toRuns({ speechSeconds, upperBandDb, codec, answers }: Heard): ModelRun[] {
  return answers.map(({ queued, logits, elapsedMs, device }) => {
    const { key, found } = queued;
    if (found === undefined) return toMissingRun(key, 'speech-origin');
    const pack = boundedBySpeech(found.pack, { seconds: speechSeconds, upperBandDb, codec });
    if (logits.length > 0) return toAnsweredRun(pack, { logits, elapsedMs, device });
    const { minimumSpeechSeconds: needed } = pack;
    const silence = speechSeconds < needed ? 'little_speech' : 'short_stretches';
    return toUnknownRun(pack, silence, { seconds: speechSeconds.toFixed(1), needed });
  });
}

function toClip(heard: Heard, clip: PlannedClip, index: number): ClipResult {
  const { startSeconds, endSeconds } = clip;
  const runs = heard.answers.map((answer) => toClipRun(answer, clip, heard));
  return { index, startSeconds, endSeconds, runs };
}

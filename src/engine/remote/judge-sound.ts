/** Whether what a worker says of a sound, or of a video's track, can be. Pure. */

import { isTranscriptionPack } from '../../domain/packs/model-pack.ts';
import { NO_PROVENANCE } from '../../domain/provenance/provenance.ts';
import { completeOptions } from '../../domain/records/options.ts';
import { mainLanguage } from '../../domain/transcripts/transcript.ts';
import { voiceOf } from '../../domain/verdicts/channel-name.ts';
import { decidingRuns } from '../../domain/verdicts/deciding-channel.ts';
import type { AudioResult, ChannelResult, ClipResult } from '../../domain/verdicts/result.ts';
import { CLIP_SECONDS } from '../../domain/verdicts/speech.ts';
import { speechPacksOf } from '../analyses/sound-runs.ts';
import { agree, must } from './contradiction.ts';
import { checkMime, checkProvenance } from './judge-picture.ts';
import { askSame, askSpeech, checkRuns } from './judge-runs.ts';
import type { JudgedJob } from './judged-job.ts';

/** One window of the speech detector and its padding may reach beyond the last sample. */
const SLACK_SECONDS = 0.1;

/** Throws a Contradiction. */
export function checkAudio(job: JudgedJob, audio: AudioResult): void {
  checkMime('audio', audio.mime);
  checkProvenance(audio.provenance);
  must(audio.marks !== undefined, () => 'marks: were not looked for');
  checkSound('audio', job, audio);
}

/** Throws a Contradiction. */
export function checkTrackAudio(job: JudgedJob, audio: AudioResult): void {
  const { mime, damaged, provenance, marks } = audio;
  const expected = { mime: 'audio/flac', damaged: false, provenance: NO_PROVENANCE, marks: undefined };
  must(agree({ mime, damaged, provenance, marks }, expected), () => 'track: is not as a track is kept');
  checkSound('track', job, audio);
}

function checkSound(place: string, { analysis, findPack }: JudgedJob, audio: AudioResult): void {
  const { durationSeconds, speechSeconds, runs, clips, channels, channelCount } = audio;
  const packs = speechPacksOf(analysis.models, findPack);
  const upperBandDb = audio.upperBandDb ?? null;
  const lastsMax = durationSeconds + SLACK_SECONDS;
  must(speechSeconds <= lastsMax, () => `${place}: more speech than sound`);
  const names = new Set(channels.map(({ name }) => name));
  const voices = channels.map(({ name }) => voiceOf(name));
  const isOfTracks = voices.every((voice) => voice?.track != null);
  const isOfChannels = channels.length <= channelCount && voices.every((voice) => voice?.channel != null);
  const isPossible = channels.length !== 1 && names.size === channels.length && (isOfTracks || isOfChannels);
  must(isPossible, () => `${place}: ${channels.length} channels with voices of ${channelCount}`);
  for (const channel of channels) {
    const at = `${place}: ${channel.name}`;
    must(channel.speechSeconds <= lastsMax, () => `${at}: more speech than sound`);
    checkRuns(at, channel.runs, askSpeech(packs, askedOf(channel)));
  }
  const deciding = decidingRuns(channels);
  const asked =
    deciding === null ? askSpeech(packs, { seconds: speechSeconds, upperBandDb }) : deciding.map(askSame);
  checkRuns(place, runs, asked);
  checkClips(`${place}: clip`, clips, lastsMax);
  for (const [index, clip] of clips.entries()) {
    checkRuns(`${place}: clip ${index}`, clip.runs, askSpeech(packs, { seconds: null, upperBandDb }));
  }
  must(clips.length === 0 || speechSeconds > 0, () => `${place}: clips of no speech`);
  checkTranscript(place, { analysis, findPack }, audio);
}

function askedOf({ speechSeconds, upperBandDb = null }: ChannelResult) {
  return { seconds: speechSeconds, upperBandDb };
}

/** By the model that was asked, of channels that were judged, in order, within the sound; there is none if none was asked for. */
function checkTranscript(
  place: string,
  { analysis, findPack }: Pick<JudgedJob, 'analysis' | 'findPack'>,
  { transcript, durationSeconds, channels }: AudioResult,
): void {
  const packs = analysis.models.flatMap((key) => findPack(key)?.pack ?? []);
  const pack = packs.find(isTranscriptionPack);
  must(
    (transcript !== undefined) === (pack !== undefined),
    () => `${place}: a transcript is not what was asked for`,
  );
  if (transcript === undefined || pack === undefined) return;
  const isByIt = transcript.model === pack.id && transcript.version === pack.version;
  must(isByIt, () => `${place}: its transcript is by ${transcript.model} ${transcript.version}`);
  must(
    transcript.language === mainLanguage(transcript.segments),
    () => `${place}: its transcript is not in the language of its text`,
  );
  const { transcriptLanguage: said } = completeOptions(analysis.options);
  const isHeardSo = said === '' || transcript.segments.every(({ language }) => language === said);
  must(isHeardSo, () => `${place}: its transcript is not in ${said}, as was said`);
  let before = 0;
  for (const { startSeconds, endSeconds, channel = null } of transcript.segments) {
    const isHeard = channels.length === 0 ? channel === null : channel !== null && channel <= channels.length;
    must(isHeard, () => `${place}: text of channel ${channel} of ${channels.length} that hold voices`);
    const isPlaced = startSeconds >= before && endSeconds >= startSeconds;
    must(
      isPlaced && endSeconds <= durationSeconds + SLACK_SECONDS,
      () => `${place}: text from ${startSeconds} to ${endSeconds} s`,
    );
    before = startSeconds;
  }
}

/** In order, each within the sound and no longer than a clip. */
function checkClips(place: string, clips: readonly ClipResult[], lastsMax: number): void {
  for (const [at, { index, startSeconds, endSeconds }] of clips.entries()) {
    const before = clips[at - 1]?.startSeconds ?? -1;
    const lasts = endSeconds - startSeconds;
    const isPlaced = index === at && startSeconds > before && endSeconds <= lastsMax;
    const isClip = lasts > 0 && lasts <= CLIP_SECONDS + SLACK_SECONDS;
    must(
      isPlaced && isClip,
      () => `${place} ${at}: from ${startSeconds} to ${endSeconds} s is no clip of this sound`,
    );
  }
}

/** The analysis of a sound: a decode child turns it into samples, speech is found, and its windows are judged. */
import { SOUND_SECONDS_MAX } from '../../domain/limits.ts';
import { completeOptions } from '../../domain/records/options.ts';
import type { TranscriptSegment } from '../../domain/transcripts/transcript.ts';
import type { AudioResult } from '../../domain/verdicts/result.ts';
import { RECENT_SEGMENTS_MAX } from '../../domain/verdicts/tentative.ts';
import type { AnalysisSlot } from '../decode/decode-slot.ts';
import { placeOriginal } from '../decode/place-original.ts';
import type { AnalysisParts, Attempt } from './analysis-parts.ts';
import { StepCount } from './image-runs.ts';
import { hearSound } from './sound-runs.ts';
import type { SoundWork, SpeechFindings } from './sound-work.ts';
import { timed } from './timed-parts.ts';
import { transcribeSound } from './transcribe-sound.ts';

/** Steps after the decoding, besides its seconds; transcribing takes longer than judging. */
const SPEECH_STEPS = 10;
const TRANSCRIPT_STEPS = 20;

export async function analyseAudio(parts: AnalysisParts, attempt: Attempt): Promise<AudioResult> {
  const { signal } = attempt;
  return await parts.decodePool.run('analysis', (slot) => analyseInSlot(parts, attempt, slot), { signal });
}

async function analyseInSlot(
  parts: AnalysisParts,
  { analysis, signal, report, found }: Attempt,
  slot: AnalysisSlot,
): Promise<AudioResult> {
  const { trust, decodeTimeoutMs } = parts;
  const { models, options } = analysis;
  const steps = new StepCount(SPEECH_STEPS + (options.withTranscript ? TRANSCRIPT_STEPS : 0), report);
  const input = await timed(parts, 'copy', () =>
    placeOriginal(slot, parts.store.blobs, { hash: analysis.hash, signal }),
  );
  const { audio } = await timed(parts, 'decode', () =>
    slot.request(
      { type: 'decode-audio', input, trust, soundSecondsMax: SOUND_SECONDS_MAX },
      { signal, timeoutMs: decodeTimeoutMs, onProgress: (progress) => steps.decoding(progress) },
    ),
  );
  steps.decoded();
  const { mime, sound, damaged, provenance, marks } = audio;
  let reached = 0;
  const onFound: HeardSoFar = (speech, { step, share }) => {
    found({ ...speech, frames: [] });
    const isText = step === 'transcript';
    const count = Math.floor(isText ? SPEECH_STEPS + share * TRANSCRIPT_STEPS : share * SPEECH_STEPS);
    // Each piece of a text is shown, even if a long one has more pieces than steps.
    if (count > reached || isText) steps.reach(step, count);
    reached = Math.max(reached, count);
  };
  const { transcriptLanguage: language } = completeOptions(options);
  const heard = await hearInSlot(parts, slot, { sound, models, language, signal, found: onFound });
  return { kind: 'audio', mime, ...heard, damaged, provenance, marks };
}

type HeardSoFar = (soFar: SpeechFindings, done: { step: 'speech' | 'transcript'; share: number }) => void;

interface HearingWork extends Omit<SoundWork, 'slot' | 'secondsMax' | 'found'> {
  found: HeardSoFar;
}

export type HeardSound = Omit<AudioResult, 'kind' | 'mime' | 'damaged' | 'provenance' | 'marks'>;

/** The common part of a recording and a video's track. */
export async function hearInSlot(
  parts: AnalysisParts,
  slot: AnalysisSlot,
  { sound, models, language, signal, found }: HearingWork,
): Promise<HeardSound> {
  const { durationSeconds, sampleRate, channelCount, tracksLeftOut } = sound;
  let last: SpeechFindings = { clips: [], speech: [] };
  const report: SoundWork['found'] = (speech, share) => {
    last = speech;
    found(speech, { step: 'speech', share });
  };
  const work = { slot, sound, models, language, signal, found: report, secondsMax: SOUND_SECONDS_MAX };
  const { answer, voices } = await timed(parts, 'speech', () => hearSound(parts, work));
  const leftOut = tracksLeftOut === 0 ? {} : { tracksNotJudged: tracksLeftOut };
  const heard = { durationSeconds, sampleRate, channelCount, ...leftOut, ...answer };
  if (voices.length === 0) return heard;
  const onText = (text: readonly TranscriptSegment[], share: number) =>
    found({ ...last, transcript: text.slice(-RECENT_SEGMENTS_MAX) }, { step: 'transcript', share });
  const transcript = await timed(parts, 'transcript', () => transcribeSound(parts, work, voices, onText));
  return transcript === undefined ? heard : { ...heard, transcript };
}

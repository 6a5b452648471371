/** Where speech is, and which windows and clips are judged: arithmetic on the detector's probabilities. Pure. */

/** Seconds from the beginning of the sound. */
export interface SpeechSegment {
  startSeconds: number;
  endSeconds: number;
}

/** The detector's makers' own settings: speech begins above the one, and ends below the other. */
const ONSET = 0.5;
const OFFSET = 0.35;
/** A pause this short is a breath between two words, not an end. */
const PAUSE_SECONDS_MAX = 0.1;
/** Shorter is a click or a cough. */
const SEGMENT_SECONDS_MIN = 0.25;
/** The detector answers a little late. */
const PADDING_SECONDS = 0.03;

/** The detector hears no speech in a recording that is quieter on the whole, decibels of full scale; people do. */
const QUIET_DB = -65;
const LIFTED_DB = -35;
/** Further down lies the noise of sixteen bits. */
const LIFT_DB_MAX = 40;

/** By how much the detector must hear a sound louder, whose mean power is `meanDb`; null: it is silent. */
export function detectorGain(meanDb: number | null): number {
  if (meanDb === null || meanDb >= QUIET_DB) return 1;
  return 10 ** (Math.min(LIFT_DB_MAX, LIFTED_DB - meanDb) / 20);
}

export function findSpeech(
  probabilities: ArrayLike<number>,
  frameSeconds: number,
  durationSeconds: number,
): SpeechSegment[] {
  const pauseFrames = PAUSE_SECONDS_MAX / frameSeconds;
  const found: { from: number; to: number }[] = [];
  let isSpeaking = false;
  for (let frame = 0; frame < probabilities.length; frame++) {
    const probability = probabilities[frame] ?? 0;
    isSpeaking = probability >= (isSpeaking ? OFFSET : ONSET);
    if (!isSpeaking) continue;
    const last = found.at(-1);
    if (last !== undefined && frame - last.to <= pauseFrames) last.to = frame + 1;
    else found.push({ from: frame, to: frame + 1 });
  }
  return found
    .filter(({ from, to }) => (to - from) * frameSeconds >= SEGMENT_SECONDS_MIN)
    .map(({ from, to }) => ({
      startSeconds: Math.max(0, from * frameSeconds - PADDING_SECONDS),
      endSeconds: Math.min(durationSeconds, to * frameSeconds + PADDING_SECONDS),
    }));
}

export function secondsOf(segments: readonly SpeechSegment[]): number {
  return segments.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
}

/** How a model's windows lie in a sound, in samples. */
export interface WindowLayout {
  windowSamples: number;
  hopSamples: number;
  countMax: number;
}

/** A stretch of a sound in samples; one shorter than a model's window is repeated until it fills the window. */
export interface SampleRange {
  offset: number;
  length: number;
}

/** Pauses between the words of a sentence: a model hears across them, and was trained so. */
const PAUSE_HEARD_SECONDS_MAX = 0.5;
/** A stretch that fills less of a window is left out if a longer one speaks. */
const WINDOW_SHARE_MIN = 0.5;
/** A word or two: less, repeated, would be a stutter that no model has heard. */
const STRETCH_SECONDS_MIN = 0.6;

/** Overlapping windows inside speech, at most `countMax`, evenly thinned. If no stretch fills half a window, the longest. */
export function placeWindows(
  segments: readonly SpeechSegment[],
  layout: WindowLayout,
  sound: { sampleRate: number; sampleCount: number },
): SampleRange[] {
  const stretches = joinAcrossPauses(segments).map(({ startSeconds, endSeconds }): SampleRange => {
    const offset = Math.round(startSeconds * sound.sampleRate);
    const end = Math.min(sound.sampleCount, Math.round(endSeconds * sound.sampleRate));
    return { offset, length: end - offset };
  });
  const long = stretches.filter(({ length }) => length >= layout.windowSamples * WINDOW_SHARE_MIN);
  const ranges = long.flatMap((stretch) => rangesIn(stretch, layout));
  if (ranges.length > 0) return takeEvenly(ranges, layout.countMax);
  const lengthMax = Math.max(0, ...stretches.map(({ length }) => length));
  if (lengthMax < STRETCH_SECONDS_MIN * sound.sampleRate) return [];
  return stretches.filter(({ length }) => length === lengthMax).slice(0, 1);
}

function joinAcrossPauses(segments: readonly SpeechSegment[]): SpeechSegment[] {
  const joined: SpeechSegment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last === undefined || segment.startSeconds - last.endSeconds > PAUSE_HEARD_SECONDS_MAX) {
      joined.push({ ...segment });
    } else last.endSeconds = segment.endSeconds;
  }
  return joined;
}

function rangesIn(stretch: SampleRange, { windowSamples, hopSamples }: WindowLayout): SampleRange[] {
  if (stretch.length <= windowSamples) return [stretch];
  const end = stretch.offset + stretch.length;
  const hops = Math.floor((stretch.length - windowSamples) / hopSamples);
  const offsets = Array.from({ length: hops + 1 }, (_, index) => stretch.offset + index * hopSamples);
  const rest = stretch.length - windowSamples - hops * hopSamples;
  // The end of a stretch is worth a window of its own if a quarter of a hop of it was not seen.
  if (rest * 4 >= hopSamples) offsets.push(end - windowSamples);
  return offsets.map((offset) => ({ offset, length: windowSamples }));
}

/** A sentence or so: long enough for several windows, short enough to point at. */
const CLIP_SECONDS = 6;
/** A third of a clip is in the next one too, so that no word falls between two. */
const CLIP_HOP_SECONDS = 4;
/** Two and a half minutes of unbroken speech, as many windows as a model takes; of a longer sound an even choice. */
export const CLIPS_MAX = 40;
/** Less speech in a clip gives a model no whole window. */
const CLIP_SPEECH_SECONDS_MIN = 1;

export interface PlannedClip extends SpeechSegment {
  speech: SpeechSegment[];
}

/** Overlapping clips where there is speech, in order; at most CLIPS_MAX, spread evenly over those that qualify. */
export function planClips(segments: readonly SpeechSegment[], durationSeconds: number): PlannedClip[] {
  const count = Math.max(1, Math.ceil((durationSeconds - CLIP_SECONDS) / CLIP_HOP_SECONDS) + 1);
  const clips: PlannedClip[] = [];
  let first = 0;
  for (let index = 0; index < count; index++) {
    const startSeconds = index * CLIP_HOP_SECONDS;
    const endSeconds = Math.min(durationSeconds, startSeconds + CLIP_SECONDS);
    // Both lists are in order, so what ended before this clip is never looked at again.
    while ((segments[first]?.endSeconds ?? Number.POSITIVE_INFINITY) <= startSeconds) first += 1;
    const speech = cut(segments, first, startSeconds, endSeconds);
    if (secondsOf(speech) >= CLIP_SPEECH_SECONDS_MIN) clips.push({ startSeconds, endSeconds, speech });
  }
  return takeEvenly(clips, CLIPS_MAX);
}

function cut(segments: readonly SpeechSegment[], first: number, start: number, end: number): SpeechSegment[] {
  const inside: SpeechSegment[] = [];
  for (let index = first; index < segments.length; index++) {
    const segment = segments[index];
    if (segment === undefined || segment.startSeconds >= end) break;
    const startSeconds = Math.max(start, segment.startSeconds);
    inside.push({ startSeconds, endSeconds: Math.min(end, segment.endSeconds) });
  }
  return inside;
}

/** The speech that the clips cover, without their overlaps. */
export function uniteClips(clips: readonly PlannedClip[]): SpeechSegment[] {
  const united: SpeechSegment[] = [];
  for (const segment of clips.flatMap(({ speech }) => speech)) {
    const last = united.at(-1);
    if (last === undefined || segment.startSeconds > last.endSeconds) united.push({ ...segment });
    else last.endSeconds = Math.max(last.endSeconds, segment.endSeconds);
  }
  return united;
}

function takeEvenly<T>(items: readonly T[], countMax: number): T[] {
  if (items.length <= countMax) return [...items];
  const step = (items.length - 1) / Math.max(1, countMax - 1);
  return Array.from({ length: countMax }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}

/** Notes that an assessment adds to the models' answer: one per circumstance that a reader should know. Pure. */
import type { Declaration, DeclaredOrigin, Provenance } from '../provenance/provenance.ts';
import { readActive } from '../provenance/readings.ts';
import { both, joined, type Sentence } from '../provenance/sentence.ts';
import { type AssessmentReason, percent, type ReasonCode, reason, sideOf } from './assessment-reason.ts';
import { voiceOf } from './channel-name.ts';
import { decidingChannel } from './deciding-channel.ts';
import { fuseLogOdds, logistic, probabilityOf, showsSwap, usableRuns, voicesOf } from './heuristics.ts';
import { describeWatermark, type MarkSearch } from './marks.ts';
import type { AudioResult, ImageResult, ModelRun, TamperingSummary, VideoResult } from './result.ts';
import { readSilence } from './silence.ts';

/** Below this estimated JPEG quality the traces a detector reads are mostly gone. */
const JPEG_QUALITY_LOW = 40;

/** Usual lines of a video; smaller ones are mostly shrunk copies. */
const HEIGHT_USUAL = 240;

const DECLARATION_CODES = {
  source_type: 'METADATA_SOURCE_TYPE',
  generator: 'METADATA_GENERATOR',
  camera: 'METADATA_CAMERA',
} as const satisfies Readonly<Record<Declaration['kind'], ReasonCode>>;

/** Names of the judged media in sentences. */
export const WHATS = {
  picture: both('picture', 'immagine'),
  video: both('video', 'video'),
  sound: both('sound', 'audio'),
  media: both('media', 'media'),
};
export type What = keyof typeof WHATS;

const ORIGIN_CODES = {
  generated: 'C2PA_GENERATED',
  composite_with_generated: 'C2PA_COMPOSITE_WITH_GENERATED',
  captured: 'C2PA_CAPTURED',
  edited: 'C2PA_EDITED',
  unknown: 'C2PA_UNKNOWN',
} as const satisfies Readonly<Record<DeclaredOrigin, ReasonCode>>;

export function notesOnImage({
  runs,
  tampering,
  provenance,
  quality,
  pages,
  animation,
  marks,
}: ImageResult): AssessmentReason[] {
  const notes = [
    ...notesOnSilence(runs),
    ...notesOnTampering('picture', runs, tampering),
    ...notesOnFaces('picture', runs),
    ...notesOnProvenance(provenance),
    ...notesOnWatermarks(marks),
    ...notesOnMedium(runs),
  ];
  if (quality.jpegQuality !== null && quality.jpegQuality < JPEG_QUALITY_LOW) {
    notes.push(reason('HEAVILY_COMPRESSED'));
  }
  if (pages > 1) notes.push(reason('FIRST_PAGE_ONLY', { pages }));
  if (animation !== undefined) {
    const { frames, decides } = animation;
    notes.push(reason('ANIMATION_FRAMES', { count: frames.length, decides }));
  }
  return notes;
}

function notesOnMedium(runs: readonly ModelRun[]): AssessmentReason[] {
  const run = usableRuns(runs).find(({ boundsFor }) => boundsFor === 'no-photograph');
  if (run === undefined) return [];
  return [reason('NO_PHOTOGRAPH', { bound: percent(run.inconclusiveHigh) })];
}

/** One note per reason: several models often refuse for the same. */
function notesOnSilence(runs: readonly ModelRun[]): AssessmentReason[] {
  const silent = runs.filter(({ unknown, axis }) => unknown && axis === 'generated');
  return [...new Set(silent.map((run) => run.reason))].map((why) =>
    reason('MODEL_SILENT', { reason: readSilence(why) }),
  );
}

export function notesOnAudio(result: AudioResult): AssessmentReason[] {
  const notes = notesOnVoices(result);
  if (result.damaged) notes.push(reason('DAMAGED'));
  return [...notes, ...notesOnProvenance(result.provenance)];
}

export function notesOnVideo(result: VideoResult): AssessmentReason[] {
  const { frames, damagedFrames, tracks, withTrack, provenance } = result;
  const notes = [...notesOnTampering('video', result.runs), ...notesOnFaces('video', result.runs)];
  const answers = frames.flatMap(({ image }) => probabilityOf(image.runs) ?? []);
  if (answers.length > 0) {
    const artificial = answers.filter((probability) => probability >= 0.5).length;
    notes.push(reason('FRAMES', { artificial, count: answers.length }));
  }
  if (damagedFrames > 0) notes.push(reason('DAMAGED_FRAMES', { count: damagedFrames }));
  notes.push(...notesOnPictures(result));
  if (result.height < HEIGHT_USUAL) {
    notes.push(reason('SMALL_PICTURE', { lines: result.height, usual: HEIGHT_USUAL }));
  }
  notes.push(...notesOnDecidingPart(result.runs), ...notesOnDisagreement(result));
  if (withTrack && tracks.length === 0) notes.push(reason('NO_SOUND'));
  const spoken = tracks.flatMap(({ audio }) => notesOnVoices(audio));
  return [...notes, ...spoken, ...notesOnProvenance(provenance)];
}

/** One, and more. */
const MOVING_PICTURES = [
  both('moving picture', 'traccia video'),
  both('moving pictures', 'tracce video'),
] as const;
const SOUND_TRACKS = [
  both('track of sound', 'traccia audio'),
  both('tracks of sound', 'tracce audio'),
] as const;

/** Pictures that players do not show first may be the generated ones. */
function notesOnPictures({ frames, picturesNotJudged = 0 }: VideoResult): AssessmentReason[] {
  const further = frames.flatMap(({ picture }) => picture ?? []);
  const notes: AssessmentReason[] = [];
  if (further.length > 0) {
    notes.push(reason('SEVERAL_PICTURES', { count: new Set(further).size + 1, frames: further.length }));
  }
  return [...notes, ...notesOnLeftOut(MOVING_PICTURES, picturesNotJudged)];
}

function notesOnLeftOut([one, more]: readonly [Sentence, Sentence], count: number): AssessmentReason[] {
  return count === 0 ? [] : [reason('TRACK_NOT_JUDGED', { count, what: count === 1 ? one : more })];
}

/** The parts of a video by the task of the models that judge them. */
const VIDEO_PARTS = [
  { task: 'image-origin', code: 'DECIDED_BY_FRAMES', name: both('frames', 'fotogrammi') },
  { task: 'face-origin', code: 'DECIDED_BY_FACES', name: both('faces', 'volti') },
  { task: 'speech-origin', code: 'DECIDED_BY_VOICE', name: both('voice', 'voce') },
] as const;

/** The part that pulls the models' mean furthest to its side. */
function notesOnDecidingPart(runs: readonly ModelRun[]): AssessmentReason[] {
  const usable = usableRuns(runs);
  const side = Math.sign(fuseLogOdds(usable));
  const parts = VIDEO_PARTS.flatMap(({ task, code, name }) => {
    const own = usable.filter((run) => run.task === task);
    const pull = voicesOf(own).reduce((sum, { weight, logOdds }) => sum + weight * logOdds * side, 0);
    return own.length === 0 ? [] : [{ code, name, pull, probability: logistic(fuseLogOdds(own)) }];
  });
  const [most] = parts.toSorted((a, b) => b.pull - a.pull);
  if (most === undefined) return [];
  const shown = parts.map(({ name, probability }) =>
    both(`${name.en} ${percent(probability)}`, `${name.it} ${percent(probability)}`),
  );
  return [reason(most.code, { shown: joined(shown, ', ') })];
}

/** A generated voice over real pictures, or the other way round, is a finding of its own: the mean of both would hide it. */
function notesOnDisagreement({ runs }: VideoResult): AssessmentReason[] {
  const seen = probabilityOf(runs.filter(({ task }) => task !== 'speech-origin'));
  const heard = probabilityOf(runs.filter(({ task }) => task === 'speech-origin'));
  if (seen === null || heard === null || seen >= 0.5 === heard >= 0.5) return [];
  return [reason('PICTURES_AND_VOICE_DIFFER', { pictures: percent(seen), voice: percent(heard) })];
}

function notesOnSpeech({
  runs,
  speechSeconds,
  durationSeconds,
  upperBandDb: ofWhole,
  channels,
}: AudioResult): AssessmentReason[] {
  if (runs.length > 0 && runs.every(({ unknown }) => unknown)) {
    const code = speechSeconds === 0 ? 'NO_SPEECH' : 'TOO_LITTLE_SPEECH';
    return [reason(code, { speech: speechSeconds.toFixed(1), duration: durationSeconds.toFixed(1) })];
  }
  if (runs.some(({ boundsFor }) => boundsFor === 'speech-codec')) return [reason('SPEECH_CODEC')];
  if (!runs.some(({ boundsFor }) => boundsFor === 'narrow-band')) return [];
  const { name: channel, upperBandDb } = decidingChannel(channels) ?? {
    name: both('The sound', 'L’audio'),
    upperBandDb: ofWhole,
  };
  const level = upperBandDb == null ? '' : ` (${upperBandDb.toFixed(0)} dB)`;
  return [reason('NARROW_BAND', { channel, level })];
}

function notesOnVoices(audio: AudioResult): AssessmentReason[] {
  const left = notesOnLeftOut(SOUND_TRACKS, audio.tracksNotJudged ?? 0);
  return [...notesOnSpeech(audio), ...notesOnChannels(audio), ...notesOnTracks(audio), ...left];
}

/** Players play one track, so those with other content are named. */
function notesOnTracks({ channels }: AudioResult): AssessmentReason[] {
  const tracks = channels.filter(({ name }) => isOfTrack(name));
  if (tracks.length === 0) return [];
  const shown = tracks.map(({ name, speechSeconds, runs }) => {
    const probability = probabilityOf(runs);
    const seconds = speechSeconds.toFixed(1);
    const found =
      probability === null
        ? both('not judged', 'non giudicata')
        : both(`artificial: ${percent(probability)}`, `artificiale: ${percent(probability)}`);
    return both(
      `${name} with ${seconds} s of speech, ${found.en}`,
      `${name} con ${seconds} s di parlato, ${found.it}`,
    );
  });
  return [reason('SEVERAL_TRACKS', { shown: joined(shown, '; ') })];
}

function isOfTrack(name: string): boolean {
  return voiceOf(name)?.track != null;
}

/** One of two channels may be real and the other not, so the most suspicious one is named, and decides. */
function notesOnChannels({ runs: decided, channels }: AudioResult): AssessmentReason[] {
  if (channels.some(({ name }) => isOfTrack(name))) return [];
  const answers = channels.flatMap(({ name, runs }) => {
    const probability = probabilityOf(runs);
    return probability === null ? [] : [{ name, probability }];
  });
  const [most] = answers.toSorted((a, b) => b.probability - a.probability);
  if (most === undefined || answers.length < 2) return [];
  const shown = answers.map(({ name, probability }) => `${name} ${percent(probability)}`).join(', ');
  // In earlier results the mix decided.
  const decides = probabilityOf(decided) === most.probability ? both(' and decides', ' e decide') : '';
  return [reason('CHANNELS_DIFFER', { most: most.name, decides, shown })];
}

function notesOnProvenance(provenance: Provenance): AssessmentReason[] {
  const notes: AssessmentReason[] = [];
  const { declaredOrigin } = provenance;
  if (declaredOrigin !== null) {
    notes.push(reason(ORIGIN_CODES[declaredOrigin]));
  }
  for (const declaration of provenance.declarations ?? []) {
    const { kind, field, value, origin } = declaration;
    // A damaged row may hold a foreign word, such as `toString`.
    const side = sideOf(Object.hasOwn(ORIGIN_CODES, origin) ? ORIGIN_CODES[origin] : 'C2PA_UNKNOWN');
    notes.push(reason(DECLARATION_CODES[kind], { field, value }, side));
  }
  if (isBroken(provenance)) {
    notes.push(reason('C2PA_INVALID'));
  }
  if (provenance.remoteManifestUrl !== null) {
    notes.push(reason('C2PA_REMOTE_NOT_FETCHED'));
  }
  if (provenance.fault !== null) {
    notes.push(reason('C2PA_UNREADABLE'));
  }
  return notes;
}

/** The reader calls expired manifests invalid, too: only a binding or a signature counts. */
function isBroken({ store, c2pa }: Provenance): boolean {
  if (store === undefined) return c2pa?.validation_state === 'Invalid';
  return readActive(store)?.state === 'broken';
}

/** Strong, but no proof: anyone with the program can write the mark into a photograph. */
function notesOnWatermarks(marks: MarkSearch | undefined): AssessmentReason[] {
  return (marks?.watermarks ?? []).map((find) =>
    reason('WATERMARK_FOUND', { mark: describeWatermark(find) }),
  );
}

/** Reports a swap if the model's precision holds, else that no face was judged. */
function notesOnFaces(what: What, runs: readonly ModelRun[]): AssessmentReason[] {
  return runs.filter(({ axis }) => axis === 'swapped').map((run) => noteOnFace(what, run));
}

function noteOnFace(what: What, run: ModelRun): AssessmentReason {
  const { unknown, probability, inconclusiveHigh } = run;
  if (unknown || probability === null) return reason('FACES_NOT_JUDGED', { reason: readSilence(run.reason) });
  const share = percent(probability);
  if (showsSwap(run)) return reason('FACE_SWAP_LIKELY', { what: WHATS[what], share });
  const bound = percent(inconclusiveHigh);
  const why = both(
    `the most suspicious one (${share}) lies below ${bound}, where the model errs too often; that speaks neither for a swap nor against one.`,
    `il più sospetto (${share}) sta sotto il ${bound}, dove il modello sbaglia troppo spesso; non parla né per uno scambio né contro.`,
  );
  return reason('FACES_NOT_JUDGED', { reason: why });
}

/** Share from which on only a few border pixels were left out. */
const WHOLE_COVERAGE = 0.97;

/** Edits are an axis of their own, which takes no part in the verdict on the origin. */
export function notesOnTampering(
  what: What,
  runs: readonly ModelRun[],
  summary?: TamperingSummary,
): AssessmentReason[] {
  return runs.filter(({ axis }) => axis === 'edited').map((run) => noteOnEdits(what, run, summary));
}

function noteOnEdits(what: What, run: ModelRun, summary: TamperingSummary | undefined): AssessmentReason {
  const { unknown, probability, inconclusiveLow, inconclusiveHigh } = run;
  if (unknown || probability === null)
    return reason('EDITING_NOT_JUDGED', { reason: readSilence(run.reason) });
  const said = { what: WHATS[what], share: percent(probability), looked: coverageOf(summary) };
  if (probability > inconclusiveHigh) return reason('EDITING_LIKELY', said);
  return reason(probability < inconclusiveLow ? 'NO_SIGNS_OF_EDITING' : 'EDITING_INCONCLUSIVE', said);
}

function coverageOf(summary: TamperingSummary | undefined): Sentence | '' {
  if (summary === undefined || summary.coverage >= WHOLE_COVERAGE) return '';
  const share = percent(summary.coverage);
  return both(
    ` Only ${share} of it was looked at: it is larger than the model may take.`,
    ` Se ne è guardato solo il ${share}: è più grande di quanto il modello possa prendere.`,
  );
}

/** The options of a submission: one row each. The code that obeys an option says what it means. */
import { type Choice, type Field, flag, oneOf, text, whole } from '../field.ts';
import type { MediaKind } from '../media/media.ts';
import type { ModelTask } from '../packs/model-pack.ts';
import { TRANSCRIPT_LANGUAGES } from '../transcripts/languages.ts';

const KEY_FRAME_METHOD = {
  name: 'KeyFrameMethod',
  words: ['iframes', 'flow', 'color'],
} as const satisfies Choice;
const FRAME_COUNTS = [5, 10, 30] as const;
type FrameCount = (typeof FRAME_COUNTS)[number];

export interface OptionField<Value, PlanName extends string = never> extends Field<Value> {
  readonly initial: Value;
  /** The kinds that have the option; elsewhere it is an unknown field and is ignored. */
  readonly kinds: readonly MediaKind[];
  /** The kinds, among `kinds`, for which REST documents it. */
  readonly restKinds?: readonly MediaKind[];
  /** The allowed values if it is no flag. */
  readonly allowed?: readonly (string | number)[];
  /** The command line's name of its value if it is no flag. */
  readonly valueName?: string;
  /** Its name in plans, which may withhold and price it, and in analyses that are added later. */
  readonly planOption?: PlanName;
  /** The tasks of the models that it needs. */
  readonly tasks?: readonly ModelTask[];
  /** The page's words, in English and Italian: as a choice, in a list of a plan's options, and to add it later. */
  readonly texts?: Readonly<Record<'choice' | 'listed' | 'added', Words>>;
  /** Changes only how the result is read, so that both readings share the work. */
  readonly isReadOnly?: true;
  /** The sentence of REST's description, and of the command line if that has none of its own. */
  readonly sentence?: string;
  readonly commandSentence?: string;
}

type Words = readonly [en: string, it: string];
type Row<Value, PlanName extends string = never> = Omit<OptionField<Value, PlanName>, 'type' | 'holds'>;

function asked<const PlanName extends string = never>(
  row: Omit<Row<boolean, PlanName>, 'initial'>,
): OptionField<boolean, PlanName> {
  return { ...row, ...flag(), initial: false };
}

function chosen<Value>(field: Field<Value>, row: Row<NoInfer<Value>>): OptionField<Value> {
  return { ...row, ...field };
}

const ALL: readonly MediaKind[] = ['image', 'video', 'audio'];
const VISIBLE: readonly MediaKind[] = ['image', 'video'];
const HEARD: readonly MediaKind[] = ['video', 'audio'];
const VIDEO: readonly MediaKind[] = ['video'];

export const ANALYSIS_OPTIONS = {
  withHeatmap: asked({
    kinds: VISIBLE,
    // Only the newer protocols offer a map of frames.
    restKinds: ['image'],
    planOption: 'heatmap',
    texts: {
      choice: ['Heatmap', 'Mappa di calore'],
      listed: ['heatmap', 'mappa di calore'],
      added: ['Draw the heatmap', 'Disegna la mappa di calore'],
    },
    sentence: 'also produce an AI-content heatmap',
    commandSentence: 'also make a heatmap',
  }),
  withMorphing: asked({
    kinds: VISIBLE,
    planOption: 'morphing',
    tasks: ['face-origin', 'face-detection'],
    texts: {
      choice: ['Faces: morphing and swaps', 'Volti: morphing e scambi'],
      listed: ['faces', 'volti'],
      added: ['Look for swapped faces', 'Cerca volti scambiati'],
    },
    description: 'Faces, for swaps: a hint, not evidence.',
    sentence: 'also analyse faces for swaps: a hint, not evidence',
  }),
  withTampering: asked({
    kinds: VISIBLE,
    planOption: 'tampering',
    tasks: ['image-tampering'],
    texts: {
      choice: ['Tampering', 'Manomissioni'],
      listed: ['tampering', 'manomissioni'],
      added: ['Look for edits', 'Cerca modifiche'],
    },
    description: 'Signs of edits without a generator: a hint, not evidence.',
    sentence: 'also analyse signs of tampering without generative AI: a hint, not evidence',
    commandSentence: 'also analyse signs of editing: a hint, not evidence',
  }),
  withNsfw: asked({
    kinds: VISIBLE,
    planOption: 'nsfw',
    tasks: ['nsfw'],
    texts: {
      choice: ['Unsafe content', 'Contenuti sensibili'],
      listed: ['unsafe content', 'contenuti sensibili'],
      added: ['Check for unsafe content', 'Cerca contenuti sensibili'],
    },
    sentence: 'also detect NSFW content',
    commandSentence: 'also look for unsafe content',
  }),
  withAudio: asked({
    kinds: VIDEO,
    planOption: 'audio_track',
    tasks: ['speech-origin', 'voice-activity'],
    texts: {
      choice: ['Sound of a video', 'Audio di un video'],
      listed: ['sound of videos', 'audio dei video'],
      added: ['Judge the sound', 'Giudica il suono'],
    },
    sentence: 'also analyse the audio track, where the plan enables it',
    commandSentence: 'also analyse the sound of a video',
  }),
  withTranscript: asked({
    kinds: HEARD,
    planOption: 'transcript',
    tasks: ['transcription', 'voice-activity'],
    texts: {
      choice: ['Transcript of what is said', 'Trascrizione del parlato'],
      listed: ['transcripts', 'trascrizioni'],
      added: ['Write down what is said', 'Trascrivi il parlato'],
    },
    description: 'What is said, written down by a machine; of a video it needs the audio track.',
    sentence: 'also write down what is said; of a video it needs with_audio',
    commandSentence: 'also write down what is said (of a video with --with-audio)',
  }),
  transcriptLanguage: chosen(text(), {
    initial: '',
    allowed: TRANSCRIPT_LANGUAGES,
    valueName: 'code',
    kinds: HEARD,
    description: 'What is spoken, as ISO 639-1, for the transcript; empty: the model finds it by itself.',
    sentence:
      'the language that is spoken, as ISO 639-1, for with_transcript; empty: the model finds it by itself',
    commandSentence: 'what is spoken, for --with-transcript: en, it, …; the model finds it otherwise',
  }),
  preventC2paForces: asked({
    kinds: ALL,
    isReadOnly: true,
    sentence: 'a C2PA signature does not force the origin to artificial',
    commandSentence: 'a C2PA signature does not force the verdict',
  }),
  frames: chosen(whole<FrameCount>(), {
    initial: 10,
    allowed: FRAME_COUNTS,
    valueName: 'n',
    kinds: VIDEO,
    sentence: 'frames to analyse',
    commandSentence: `frames of a video to analyse: ${FRAME_COUNTS.join(', ')}`,
  }),
  keyFrames: asked({
    kinds: VIDEO,
    sentence: 'choose key frames instead of evenly spaced ones',
    commandSentence: 'choose key frames of a video instead of evenly spaced ones',
  }),
  keyFramesMethod: chosen(oneOf(KEY_FRAME_METHOD), {
    initial: 'iframes',
    allowed: KEY_FRAME_METHOD.words,
    valueName: 'method',
    kinds: VIDEO,
    commandSentence: 'how they are found (implies --key-frames)',
  }),
  ensureFacePerFrame: asked({
    kinds: VIDEO,
    tasks: ['face-detection'],
    sentence: 'prefer frames that show a face',
  }),
};

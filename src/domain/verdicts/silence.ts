/** Why a model gave no answer: stored as the English sentence, shown in each language. */
import { both, type Sentence } from '../provenance/sentence.ts';
import { filledPattern, fillText } from '../shown-text.ts';

const SILENCES = {
  no_number: ['The model gave no number.', 'Il modello non ha dato un numero.'],
  not_installed: ['The model is not installed any more.', 'Il modello non è più installato.'],
  too_small: [
    'The picture has {width} × {height} pixels; the model needs {needed} on the short side.',
    'L’immagine ha {width} × {height} pixel; il modello ne vuole {needed} sul lato corto.',
  ],
  flat: [
    'The picture is almost flat: there is nothing to judge.',
    'L’immagine è quasi uniforme: non c’è niente da giudicare.',
  ],
  noise: [
    'The picture is noise: the model was not made for it.',
    'L’immagine è rumore: il modello non è fatto per questo.',
  ],
  flat_colours: [
    'The picture is of flat colours, as screens, charts and clip art are: the model was not made for it.',
    'L’immagine è a colori uniformi, come schermate, grafici e clip art: il modello non è fatto per questo.',
  ],
  no_face: ['No face was found.', 'Non è stato trovato nessun volto.'],
  small_face: [
    'The face has {side} pixels on its short side; the model needs {needed}.',
    'Il volto ha {side} pixel sul lato corto; il modello ne vuole {needed}.',
  ],
  little_speech: [
    'The sound holds {seconds} s of speech; the model needs {needed} s.',
    'L’audio contiene {seconds} s di parlato; il modello ne vuole {needed} s.',
  ],
  short_stretches: [
    'The sound holds {seconds} s of speech, but no stretch of it is long enough for the model.',
    'L’audio contiene {seconds} s di parlato, ma nessun tratto è abbastanza lungo per il modello.',
  ],
  no_window: [
    'No window of the model lies in the speech of this clip.',
    'Nessuna finestra del modello cade nel parlato di questo spezzone.',
  ],
} as const satisfies Readonly<Record<string, readonly [english: string, italian: string]>>;
export type Silence = keyof typeof SILENCES;

export type SilenceFigures = Readonly<Record<string, string | number>>;

export function silenceSentence(silence: Silence, figures: SilenceFigures = {}): string {
  return fillText(SILENCES[silence][0], figures);
}

const READ = Object.values(SILENCES).map(
  ([english, italian]) => [filledPattern(english, () => '[\\d.]+'), italian] as const,
);

/** A stored sentence in each language; one that no row has stays as it is. */
export function readSilence(stored: string): Sentence {
  for (const [pattern, italian] of READ) {
    const figures = pattern.exec(stored);
    if (figures !== null) return both(stored, fillText(italian, { ...figures.groups }));
  }
  return both(stored, stored);
}

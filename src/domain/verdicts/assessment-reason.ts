/** Every reason of an assessment: its side, its weight and its sentence in each language. Pure. */
import { type Choice, noun, oneOf, text, type ValuesOf } from '../field.ts';
import { both, type Sentence } from '../provenance/sentence.ts';
import { fillText } from '../shown-text.ts';

export const REASON_SIDES = ['artificial', 'human', 'doubt', 'none'] as const;
export type ReasonSide = (typeof REASON_SIDES)[number];
export const REASON_SIDE = {
  name: 'ReasonSide',
  description:
    'What a reason speaks for. DOUBT: it weakens an answer of either kind. NONE: it says how the file was looked at, and is no reason.',
  words: REASON_SIDES,
} as const satisfies Choice;

export const REASON = {
  code: text(),
  sentence: text('The English sentence of `said`.'),
  said: noun<Sentence>('Sentence'),
  side: oneOf(REASON_SIDE),
};
export interface AssessmentReason extends ValuesOf<typeof REASON> {}

type Row = readonly [side: ReasonSide, en: string, it: string];

/** Strongest first: the order of the rows is their weight. */
export const REASONS = {
  SIGNED_GENERATED: [
    'artificial',
    'A trusted manifest, unchanged and in time, signed by {name}, declares the content generated. That is weighed above what the models measured.',
    'Un manifesto affidabile, intatto e in tempo, firmato da {name}, dichiara il contenuto generato. Pesa più di ciò che hanno misurato i modelli.',
  ],
  SIGNED_CAPTURED: [
    'human',
    'A trusted manifest, unchanged and in time, declares a capture by {name}, a conforming product: strong support for a human origin. It does not show what stood before the lens.',
    'Un manifesto affidabile, intatto e in tempo, dichiara una ripresa di {name}, un prodotto conforme: forte sostegno per un’origine umana. Non mostra che cosa stesse davanti all’obiettivo.',
  ],
  C2PA_INVALID: [
    'doubt',
    'The C2PA manifest does not match the file: it was altered after signing.',
    'Il manifesto C2PA non corrisponde al file: è stato modificato dopo la firma.',
  ],
  WATERMARK_FOUND: [
    'artificial',
    'The pixels hold the invisible watermark of a generator, {mark}: strong evidence, though anyone with the program can write it.',
    'I pixel contengono la filigrana invisibile di un generatore, {mark}: un indizio forte, anche se chiunque abbia il programma può scriverla.',
  ],
  PROVENANCE_CONTRADICTS_MODELS: [
    'doubt',
    'What the file declares of its origin contradicts what the models measured.',
    'Ciò che il file dichiara della sua origine contraddice la misura dei modelli.',
  ],
  CAPTURE_WITH_GENERATED_PARTS: [
    'doubt',
    'The manifests declare a capture, and parts that were generated.',
    'I manifesti dichiarano una ripresa, e parti generate.',
  ],
  WATERMARK_CONTRADICTS_MODELS: [
    'doubt',
    'The pixels hold the invisible watermark of a generator, which the models do not see.',
    'I pixel contengono la filigrana invisibile di un generatore, che i modelli non vedono.',
  ],
  METADATA_CONTRADICT_MODELS: [
    'doubt',
    'Unsigned metadata declare generated content, which the models do not see.',
    'Metadati non firmati dichiarano contenuti generati, che i modelli non vedono.',
  ],
  FACE_SWAP_LIKELY: [
    'artificial',
    'A face of the {what} shows signs of a swap ({share}).',
    'Un volto mostra segni di scambio ({share}).',
  ],
  NO_MODEL_ANSWERED: [
    'doubt',
    'No model could answer for this {what}.',
    'Nessun modello ha potuto rispondere per questo file.',
  ],
  NO_SPEECH: [
    'doubt',
    '{speech} s of speech were found in {duration} s of sound; that is too little to judge.',
    'Trovati {speech} s di parlato in {duration} s di audio: troppo poco per giudicare.',
  ],
  TOO_LITTLE_SPEECH: [
    'doubt',
    '{speech} s of speech were found in {duration} s of sound; that is too little to judge.',
    'Trovati {speech} s di parlato in {duration} s di audio: troppo poco per giudicare.',
  ],
  WEAK_EVIDENCE: [
    'doubt',
    'The evidence is too weak to speak for either origin.',
    'Gli indizi sono troppo deboli per parlare dell’una o dell’altra origine.',
  ],
  UNSTABLE_UNDER_REENCODING: [
    'doubt',
    'The answer changes when the picture is recompressed or scaled.',
    'La risposta cambia se l’immagine viene salvata di nuovo o ridimensionata.',
  ],
  MODEL_LEANS_ARTIFICIAL: [
    'artificial',
    'The models see a {share} chance of AI: {band} evidence. {errors}',
    'I modelli vedono una probabilità di IA del {share}: indizio {band}. {errors}',
  ],
  MODEL_LEANS_HUMAN: [
    'human',
    'The models see a {share} chance of AI: {band} evidence. {errors}',
    'I modelli vedono una probabilità di IA del {share}: indizio {band}. {errors}',
  ],
  PICTURES_AND_VOICE_DIFFER: [
    'doubt',
    'Pictures and voice do not agree: artificial by the frames {pictures}, by the voice {voice}.',
    'Immagini e voce non concordano: artificiale al {pictures} per i fotogrammi, al {voice} per la voce.',
  ],
  C2PA_GENERATED: [
    'artificial',
    'The file carries a C2PA manifest that declares it generated by an algorithm.',
    'Il file contiene un manifesto C2PA che lo dichiara generato da un algoritmo.',
  ],
  C2PA_COMPOSITE_WITH_GENERATED: [
    'artificial',
    'The file carries a C2PA manifest that declares generated parts.',
    'Il file contiene un manifesto C2PA che dichiara parti generate.',
  ],
  METADATA_SOURCE_TYPE: [
    'artificial',
    'Unsigned metadata ({field}) declare the source type {value}; easily written or stripped.',
    'Metadati non firmati ({field}) dichiarano il tipo di origine {value}; facili da scrivere o togliere.',
  ],
  METADATA_GENERATOR: [
    'artificial',
    'Unsigned metadata ({field}) carry the mark of a generator: “{value}”; easily written or stripped.',
    'Metadati non firmati ({field}) portano il segno di un generatore: «{value}»; facili da scrivere o togliere.',
  ],
  EDITING_LIKELY: [
    'doubt',
    'The {what} shows signs of editing ({share}; it does not change the verdict on the origin).{looked}',
    'Ci sono segni di modifica ({share}; non cambia il verdetto sull’origine).{looked}',
  ],
  HEAVILY_COMPRESSED: [
    'doubt',
    'The picture is heavily compressed; most traces of its origin are lost.',
    'L’immagine è molto compressa; quasi tutte le tracce dell’origine sono perse.',
  ],
  SMALL_PICTURE: [
    'doubt',
    'The picture has {lines} lines; with fewer than {usual} much of what models look for is lost.',
    'L’immagine ha {lines} righe; sotto {usual} si perde molto di ciò che i modelli cercano.',
  ],
  SPEECH_CODEC: [
    'doubt',
    'The sound is stored in a codec of speech (as of old telephones) on which people’s voices score too high: other bounds decide.',
    'L’audio è salvato in un codec per la voce (come quelli dei vecchi telefoni) con cui le voci delle persone ottengono punteggi troppo alti: decidono altre soglie.',
  ],
  NARROW_BAND: [
    'doubt',
    '{channel} holds nothing above the band of a telephone{level}: bounds chosen on such sound decide.',
    '{channel}: nulla sopra la banda di un telefono{level}; decidono soglie scelte su un audio simile.',
  ],
  NO_PHOTOGRAPH: [
    'doubt',
    'The picture is probably no photograph, and has a bound of its own: it is called artificial from {bound} on.',
    'L’immagine probabilmente non è una fotografia e ha una soglia propria: è detta artificiale dal {bound} in su.',
  ],
  DAMAGED: [
    'doubt',
    'The sound is damaged or ends early; what could be decoded was analysed.',
    'L’audio è danneggiato o finisce presto; è stato analizzato ciò che si è potuto decodificare.',
  ],
  C2PA_CAPTURED: [
    'human',
    'The file carries a C2PA manifest that declares a capture by a camera; a signature is no proof of truth.',
    'Il file contiene un manifesto C2PA che dichiara una ripresa con una fotocamera; una firma non prova la verità.',
  ],
  METADATA_CAMERA: [
    'human',
    'Unsigned metadata ({field}) name a camera: {value}; that says little.',
    'Metadati non firmati ({field}) nominano una fotocamera: {value}; dice poco.',
  ],
  DECIDED_BY_FRAMES: [
    'none',
    'The frames decided; chance of AI by part: {shown}.',
    'I fotogrammi hanno deciso; probabilità di IA per parte: {shown}.',
  ],
  DECIDED_BY_FACES: [
    'none',
    'The faces decided; chance of AI by part: {shown}.',
    'I volti hanno deciso; probabilità di IA per parte: {shown}.',
  ],
  DECIDED_BY_VOICE: [
    'none',
    'The voice decided; chance of AI by part: {shown}.',
    'La voce ha deciso; probabilità di IA per parte: {shown}.',
  ],
  FRAMES: [
    'none',
    '{artificial} of {count} {count:frame|frames} {artificial:leans|lean} artificial; the upper fifth decides.',
    '{artificial} {artificial:fotogramma|fotogrammi} su {count} {artificial:tende|tendono} all’artificiale; decide il quinto più alto.',
  ],
  ANIMATION_FRAMES: [
    'none',
    'Its origin was judged on {count} {count:frame|frames} of the animation; the most suspicious, number {decides}, decides.',
    'L’origine è stata giudicata su {count} {count:fotogramma|fotogrammi} dell’animazione; decide il più sospetto, il numero {decides}.',
  ],
  CHANNELS_DIFFER: [
    'none',
    'The channels hold different voices; the most suspicious is {most}{decides} (artificial: {shown}).',
    'I canali contengono voci diverse; la più sospetta è {most}{decides} (artificiale: {shown}).',
  ],
  SEVERAL_TRACKS: [
    'none',
    'The file holds several tracks of sound, of which the most suspicious decides: {shown}.',
    'Il file contiene più tracce audio; decide la più sospetta: {shown}.',
  ],
  SEVERAL_PICTURES: [
    'none',
    'The file holds {count} {count:moving picture|moving pictures}; {frames} of the frames {frames:is|are} of those that players do not show first.',
    'Il file contiene {count} {count:traccia|tracce} video; {frames} {frames:fotogramma è|fotogrammi sono} di quelle che i lettori non mostrano per prime.',
  ],
  NO_SIGNS_OF_EDITING: [
    'none',
    'No signs of editing were found ({share}; it does not change the verdict on the origin).{looked}',
    'Nessun segno di modifica ({share}; non cambia il verdetto sull’origine).{looked}',
  ],
  EDITING_INCONCLUSIVE: [
    'none',
    'Whether the {what} was edited stays open ({share}; it does not change the verdict on the origin).{looked}',
    'Se sia stata fatta una modifica resta aperto ({share}; non cambia il verdetto sull’origine).{looked}',
  ],
  EDITING_NOT_JUDGED: [
    'none',
    'Signs of editing were not looked for: {reason}',
    'Non si sono cercati segni di modifica: {reason}',
  ],
  FACES_NOT_JUDGED: ['none', 'Faces were not judged: {reason}', 'I volti non sono stati giudicati: {reason}'],
  C2PA_EDITED: [
    'none',
    'The file carries a C2PA manifest that declares edits by a person.',
    'Il file contiene un manifesto C2PA che dichiara modifiche di una persona.',
  ],
  C2PA_UNKNOWN: [
    'none',
    'The file carries a C2PA manifest that declares no source type.',
    'Il file contiene un manifesto C2PA che non dichiara alcun tipo di origine.',
  ],
  C2PA_REMOTE_NOT_FETCHED: [
    'none',
    'The file names a remote C2PA manifest; it was not fetched.',
    'Il file indica un manifesto C2PA remoto; non è stato scaricato.',
  ],
  C2PA_UNREADABLE: [
    'none',
    'The file holds a C2PA manifest that cannot be read.',
    'Il file contiene un manifesto C2PA che non si può leggere.',
  ],
  MODEL_SILENT: ['none', '{reason}', 'Un modello non ha risposto: {reason}'],
  TRACK_NOT_JUDGED: [
    'none',
    '{count} further {what} of the file {count:was|were} not judged.',
    '{count} {what} del file non {count:è stata giudicata|sono state giudicate}.',
  ],
  DAMAGED_FRAMES: [
    'none',
    '{count} of the chosen frames could not be decoded.',
    '{count} dei fotogrammi scelti non {count:si è potuto|si sono potuti} decodificare.',
  ],
  NO_SOUND: ['none', 'The video has no sound.', 'Il video non ha audio.'],
  FIRST_PAGE_ONLY: [
    'none',
    'Only the first of {pages} pages was analysed.',
    'È stata analizzata solo la prima di {pages} pagine.',
  ],
} as const satisfies Readonly<Record<string, Row>>;
export type ReasonCode = keyof typeof REASONS;

/** The gaps of a sentence, as `fillText` fills them. */
type GapsIn<Text extends string> = Text extends `${string}{${infer Gap}}${infer Rest}`
  ? (Gap extends `${infer Name}:${string}` ? Name : Gap) | GapsIn<Rest>
  : never;

/** A reason's variable parts: the same in each language, or a text for each. */
type Filling<Code extends ReasonCode> = Readonly<
  Record<GapsIn<(typeof REASONS)[Code][1 | 2]>, string | number | Sentence>
>;

type Given<Code extends ReasonCode> = [keyof Filling<Code>] extends [never]
  ? []
  : [filling: Filling<Code>, side?: ReasonSide];

/** The side of the reason, unless it states another. */
export function sideOf(code: ReasonCode): ReasonSide {
  return REASONS[code][0];
}

/** A probability as reasons write it. */
export function percent(probability: number): string {
  return `${(probability * 100).toFixed(0)} %`;
}

export function reason<Code extends ReasonCode>(
  code: Code,
  ...[filling, side = sideOf(code)]: Given<Code>
): AssessmentReason {
  const [, en, it] = REASONS[code];
  const said = both(fillText(en, spokenIn('en', filling)), fillText(it, spokenIn('it', filling)));
  return { code, sentence: said.en, said, side };
}

function spokenIn(
  language: keyof Sentence,
  filling: Readonly<Record<string, string | number | Sentence>> = {},
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(filling).map(([name, value]) => [
      name,
      typeof value === 'object' ? value[language] : value,
    ]),
  );
}

const WEIGHTS = new Map(Object.keys(REASONS).map((code, index) => [code, index]));

/** The strongest reasons first, mere notes last. */
export function inOrderOfWeight(reasons: readonly AssessmentReason[]): AssessmentReason[] {
  const weightOf = ({ code }: AssessmentReason): number => WEIGHTS.get(code) ?? WEIGHTS.size;
  return reasons.toSorted((left, right) => weightOf(left) - weightOf(right));
}

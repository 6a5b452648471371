/** The headline on every surface: a person's finding, a signature's statement, or the measurement, in that order. Pure. */
import { type Choice, noun, nullable, oneOf, type ValuesOf } from '../field.ts';
import type { Label, MediaKind } from '../media/media.ts';
import type { C2paPolicy, DeclaredOrigin } from '../provenance/provenance.ts';
import type { ProvenanceRecord } from '../provenance/provenance-record.ts';
import { nameOf } from '../provenance/reading-sentence.ts';
import { both, joined, type Sentence } from '../provenance/sentence.ts';
import type { StepKind } from '../provenance/timeline.ts';
import type { Assessment } from '../verdicts/assessment.ts';
import type { HeuristicName, Verdict } from '../verdicts/heuristics.ts';
import type { Status } from './classification.ts';
import { certaintyOf } from './finding-words.ts';
import { outcomeOf } from './outcome.ts';

const SIGNATURE_WORDS = ['signed_capture', 'signed_generation', 'signed_edit', 'signed_untrusted'] as const;
type SignatureWord = (typeof SIGNATURE_WORDS)[number];

export const HEADLINE_WORD = {
  name: 'HeadlineWord',
  description:
    'What the headline rests on. SIGNED_CAPTURE, SIGNED_GENERATION, SIGNED_EDIT: a trusted signature; SIGNED_UNTRUSTED: another; HUMAN to NOT_APPLICABLE: the assessment of a file without a signature.',
  words: [
    ...(['waiting', 'failed', 'found_human', 'found_artificial'] as const),
    ...SIGNATURE_WORDS,
    ...(['human', 'artificial', 'inconclusive', 'not_applicable'] as const),
  ],
} as const satisfies Choice;
export type HeadlineWord = (typeof HEADLINE_WORD)['words'][number];

export const HEADLINE = {
  word: oneOf(HEADLINE_WORD),
  title: noun<Sentence>('Sentence', 'A few words, for lists and subjects.'),
  sentence: noun<Sentence>('Sentence'),
  beside: nullable(
    noun<Sentence>('Sentence', 'What else is known and may say otherwise; null if there is nothing.'),
  ),
  documented: nullable(
    noun<Sentence>(
      'Sentence',
      'What programs read that know the verdict only, and the rule that made it; null without a verdict.',
    ),
  ),
};
export interface Headline extends ValuesOf<typeof HEADLINE> {}

export interface Headlined {
  kind: MediaKind;
  status: Status;
  forceClassification: Label | null;
  verdict: Verdict | null;
  assessment: Assessment | null;
  provenance: Pick<ProvenanceRecord, 'readings' | 'manifests'> | null;
}

/** `policy`: which signatures force the verdict by the account's plan. */
export function headlineOf(record: Headlined, policy: C2paPolicy): Headline {
  const { forceClassification: found, assessment } = record;
  const word = wordOf(record);
  const documented = documentedOf(record, policy);
  const title = TITLES[word];
  if (word === 'waiting' || word === 'failed') {
    return { word, title, sentence: sentenceFrom(title), beside: null, documented };
  }
  const signature = signatureOf(record);
  const signed = signature && signedSentence(signature, record);
  const measured = isCarried(signature, assessment) ? null : measuredBeside(signature, assessment);
  if (found !== null) {
    const beside = signed === null ? measured : joined([signed, measured]);
    return { word, title, sentence: foundSentence(record.kind, found), beside, documented };
  }
  const sentence = signed ?? measuredSentence(record.kind, assessment);
  return { word, title, sentence, beside: signed === null ? null : measured, documented };
}

function wordOf(record: Headlined): HeadlineWord {
  const { forceClassification: found } = record;
  const outcome = outcomeOf(record);
  if (outcome === 'waiting' || outcome === 'failed') return outcome;
  return found === null ? (signatureOf(record) ?? outcome) : `found_${found}`;
}

const CHANGING_STEPS: readonly StepKind[] = ['edited', 'placed'];

/** Its signature's statement; null without one. Frames and tracks leave the manifests to their film, and share its weight. */
function signatureOf({ provenance, assessment }: Headlined): SignatureWord | null {
  const codes = assessment?.reasons.map(({ code }) => code) ?? [];
  if (codes.includes('SIGNED_GENERATED')) return 'signed_generation';
  const { readings = null, manifests = [] } = provenance ?? {};
  if (readings !== null && readings.state !== 'trusted') return 'signed_untrusted';
  const steps = manifests.flatMap((manifest) => manifest.steps.map(({ kind }) => kind));
  if (steps.some((kind) => CHANGING_STEPS.includes(kind))) return 'signed_edit';
  if (codes.includes('SIGNED_CAPTURED') || steps.includes('captured')) return 'signed_capture';
  return readings === null ? null : 'signed_edit';
}

/** Whether the assessment rests on the signature, so that the headline says it all. */
function isCarried(signature: SignatureWord | null, assessment: Assessment | null): boolean {
  if (assessment?.strength === 'signed') return true;
  const isCapture = assessment?.reasons.some(({ code }) => code === 'SIGNED_CAPTURED') === true;
  return signature !== null && isCapture && assessment?.state === 'human';
}

const TITLES: Readonly<Record<HeadlineWord, Sentence>> = {
  waiting: both('In progress', 'In corso'),
  failed: both('Failed', 'Fallito'),
  found_human: both('Human-made, says a person', 'Di origine umana, dice una persona'),
  found_artificial: both('Artificial, says a person', 'Di origine artificiale, dice una persona'),
  signed_capture: both('Signed capture', 'Ripresa firmata'),
  signed_generation: both('Signed as AI', 'Firmato come IA'),
  signed_edit: both('Signed edit', 'Modifica firmata'),
  signed_untrusted: both('Signed, not trusted', 'Firmato, non affidabile'),
  human: both('Human-made', 'Di origine umana'),
  artificial: both('Artificial', 'Artificiale'),
  inconclusive: both('Inconclusive', 'Incerto'),
  not_applicable: both('Not judged', 'Non valutato'),
};

const THINGS: Readonly<Record<MediaKind, Sentence>> = {
  image: both('this picture', 'questa immagine'),
  video: both('this video', 'questo video'),
  audio: both('this recording', 'questa registrazione'),
};

function sentenceFrom({ en, it }: Sentence): Sentence {
  const full = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return both(full(en), full(it));
}

function foundSentence(kind: MediaKind, found: Label): Sentence {
  const { en, it } = THINGS[kind];
  return found === 'human'
    ? both(`A person says that ${en} is human-made.`, `Una persona dice che ${it} ha origine umana.`)
    : both(`A person says that ${en} is artificial.`, `Una persona dice che ${it} ha origine artificiale.`);
}

function signedSentence(word: SignatureWord, { kind, provenance, assessment }: Headlined): Sentence {
  const thing = THINGS[kind];
  const readings = provenance?.readings ?? null;
  if (word === 'signed_untrusted') {
    return untrustedSentence(thing, readings, DECLARED[assessment?.declaredOrigin ?? 'unknown']);
  }
  const { product = '', ...signer } = readings?.signedBy ?? { name: '', organisation: '' };
  const name = product === '' ? nameOf(signer) : product;
  const [by, di] = readings === null ? ['', ''] : [` by ${name}`, ` di ${name}`];
  const said = SIGNED_AS[word];
  return sentenceFrom(
    both(
      `${thing.en} is signed${by} as ${said.en}; the signature is trusted, and nothing was changed since`,
      `la firma${di} dichiara per ${thing.it}: ${said.it}. È affidabile, e nulla è cambiato da allora`,
    ),
  );
}

const SIGNED_AS = {
  signed_capture: both('captured by a camera or recorder', 'ripresa da un apparecchio'),
  signed_generation: both('generated by AI', 'generazione con IA'),
  signed_edit: both('edited or made with a program', 'modifica o lavoro di un programma'),
};

/** An untrusted signature's statement on the origin, as far as the headline has it. */
const DECLARED: Readonly<Record<DeclaredOrigin, Sentence | null>> = {
  generated: SIGNED_AS.signed_generation,
  composite_with_generated: both('made in part by AI', 'parti generate con IA'),
  captured: SIGNED_AS.signed_capture,
  edited: both('edited', 'modifiche'),
  unknown: null,
};

function untrustedSentence(
  thing: Sentence,
  readings: NonNullable<Headlined['provenance']>['readings'],
  declared: Sentence | null,
): Sentence {
  const why = distrustOf(readings);
  const [as, come] = declared === null ? ['', ''] : [` as ${declared.en}`, ` (dichiara: ${declared.it})`];
  return sentenceFrom(
    both(
      `${thing.en} is signed${as}, but the signature is not trusted: ${why.en}`,
      `${thing.it} ha una firma${come}, ma non è affidabile: ${why.it}`,
    ),
  );
}

function distrustOf(readings: NonNullable<Headlined['provenance']>['readings']): Sentence {
  if (readings === null) throw new Error('a signature that was not read is none');
  const { state, signedBy, inTime } = readings;
  if (state === 'broken') return both('it no longer fits the file', 'non corrisponde più al file');
  if (signedBy.answer === 'on_no_list') {
    const name = nameOf(signedBy);
    return both(`no trust list vouches for ${name}`, `nessuna lista di fiducia risponde di ${name}`);
  }
  return inTime.answer === 'expired'
    ? both(
        'its certificate has expired, and nothing shows when it was signed',
        'il certificato è scaduto, e nulla mostra quando sia stata apposta',
      )
    : both('not all of it could be confirmed', 'non tutto si è potuto confermare');
}

const CERTAINTIES = {
  high: both('very likely', 'con grande probabilità'),
  good: both('likely', 'probabilmente'),
  fair: both('rather likely', 'piuttosto'),
  low: both('perhaps', 'forse'),
};
const ORIGINS = {
  human: both('human-made', 'di origine umana'),
  artificial: both('artificial', 'di origine artificiale'),
};

/** `likely human-made`; null if nothing was decided. */
function measuredPhrase(assessment: Assessment | null): Sentence | null {
  const { state, probability = null } = assessment ?? {};
  if ((state !== 'human' && state !== 'artificial') || probability === null) return null;
  const origin = ORIGINS[state];
  const certainty = CERTAINTIES[certaintyOf(state === 'artificial' ? probability : 1 - probability)];
  return both(`${certainty.en} ${origin.en}`, `${certainty.it} ${origin.it}`);
}

function measuredSentence(kind: MediaKind, assessment: Assessment | null): Sentence {
  const { en, it } = THINGS[kind];
  const phrase = measuredPhrase(assessment);
  if (phrase !== null) return sentenceFrom(both(`${en} is ${phrase.en}`, `${it} è ${phrase.it}`));
  return assessment?.state === 'inconclusive'
    ? sentenceFrom(both(`${en} gives no clear answer`, `${it} non permette una risposta chiara`))
    : sentenceFrom(both(`${en} could not be judged`, `per ${it} non è stato possibile un giudizio`));
}

function measuredBeside(signature: SignatureWord | null, assessment: Assessment | null): Sentence {
  const phrase = measuredPhrase(assessment);
  if (phrase !== null) {
    return both(`By what was measured it is ${phrase.en}.`, `Secondo le misure è ${phrase.it}.`);
  }
  if (assessment?.state !== 'inconclusive') {
    return both('Nothing could be measured.', 'Non si è potuto misurare nulla.');
  }
  return signature === 'signed_capture' || signature === 'signed_edit'
    ? both(
        'Something else in the file or in its traces leaves no clear answer.',
        'Altro nel file o nelle sue tracce non lascia una risposta chiara.',
      )
    : both('What was measured gives no clear answer.', 'Le misure non permettono una risposta chiara.');
}

const LABELS: Readonly<Record<Label, Sentence>> = {
  human: both('human', 'umano'),
  artificial: both('artificial', 'artificiale'),
};

/** The effect of each way of weighing, by its name in the settings. */
const WEIGHINGS: Readonly<Record<HeuristicName, Sentence>> = {
  balanced: both('“balanced”, all models weighted', '«balanced», tutti i modelli pesati'),
  cautious: both(
    '“cautious”, at most one false alarm in a hundred',
    '«cautious», al più un falso allarme su cento',
  ),
  sensitive: both('“sensitive”, the most suspicious model', '«sensitive», il modello più sospettoso'),
  majority: both('“majority”, one model, one vote', '«majority», un modello, un voto'),
};

function documentedOf({ verdict }: Headlined, policy: C2paPolicy): Sentence | null {
  if (verdict === null) return null;
  const { classification, confidence, models } = verdict;
  const label = LABELS[classification];
  const figure = confidence.toFixed(2);
  const rule = models.includes('c2pa') ? signatureRule(policy) : weighingRule(verdict);
  return both(
    `Older programs read “${label.en}” (${figure}): ${rule.en}.`,
    `I programmi più vecchi leggono «${label.it}» (${figure.replace('.', ',')}): ${rule.it}.`,
  );
}

function signatureRule(policy: C2paPolicy): Sentence {
  return policy === 'generative'
    ? both(
        'by the rule of this plan, a signature that declares generated content counts as artificial',
        'per la regola di questo piano, una firma che dichiara contenuti generati vale artificiale',
      )
    : both(
        'by the rule of this plan, any signature counts as artificial',
        'per la regola di questo piano, qualunque firma vale artificiale',
      );
}

function weighingRule({ heuristic, models }: Verdict): Sentence {
  if (models.length === 0) return both('no model could answer', 'nessun modello ha potuto rispondere');
  const { en, it } = WEIGHINGS[heuristic];
  return both(`by the rule ${en}`, `per la regola ${it}`);
}

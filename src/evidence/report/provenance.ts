/** A file's own statements of its origin, with the answers and the sentence of the page, and its declared making. */
import type { TrainingMiningFact } from '../../domain/provenance/manifest-facts.ts';
import type { ManifestRecord, ProvenanceRecord } from '../../domain/provenance/provenance-record.ts';
import { nameOf } from '../../domain/provenance/reading-sentence.ts';
import type { Readings } from '../../domain/provenance/readings.ts';
import type { TimelineStep } from '../../domain/provenance/timeline.ts';
import { showText } from '../../domain/shown-text.ts';
import { formatTime } from '../../domain/time.ts';
import type { EvidenceRecord } from '../evidence-record.ts';
import { type Block, bounded, type Fact } from './blocks.ts';
import type { Speaker } from './texts.ts';

export function provenanceBlocks(speaker: Speaker, { record, result }: EvidenceRecord): Block[] {
  const heading: Block = { type: 'heading', level: 2, text: speaker.say('provenance') };
  const declarations = (result?.provenance.declarations ?? []).map(
    ({ field, value }): Fact => ({ name: field, value: bounded(showText(value)) }),
  );
  const unsigned: Block[] =
    declarations.length === 0
      ? []
      : [
          { type: 'paragraph', text: `${speaker.text('declarations')}:` },
          { type: 'facts', rows: declarations },
        ];
  const { provenance } = record;
  if (provenance === null) return [heading, paragraph(speaker.say('notReadThen')), ...unsigned];
  return [heading, ...signedBlocks(speaker, provenance), ...unsigned];
}

function paragraph(text: string): Block {
  return { type: 'paragraph', text: bounded(showText(text)) };
}

/** All manifests and the reader's codes are in record.json. */
const MANIFESTS_SHOWN_MAX = 12;

function signedBlocks(speaker: Speaker, provenance: ProvenanceRecord): Block[] {
  const { sentence, readings, manifests, remoteManifestUrl } = provenance;
  if (sentence === null) return [paragraph(speaker.say('noManifest'))];
  const shown = manifests.slice(-MANIFESTS_SHOWN_MAX);
  return [
    paragraph(sentence[speaker.language]),
    ...(remoteManifestUrl === null ? [] : [paragraph(remoteManifestUrl)]),
    ...(readings === null ? [] : [answerFacts(speaker, readings)]),
    ...(shown.length === 0
      ? []
      : [paragraph(`${speaker.say('howItCame')}. ${speaker.say('howItCameLead')}`)]),
    ...shown.flatMap((manifest) => manifestBlocks(speaker, manifest, manifests)),
    ...judgedBlocks(speaker, provenance),
  ];
}

function answerFacts(speaker: Speaker, { unchanged, signedBy, inTime, who, notes }: Readings): Block {
  const { answer, product, assuranceLevel } = signedBy;
  const lists = signedBy.lists.map(({ list }) => list).join(', ');
  const level =
    assuranceLevel === null ? product : speaker.say('productLevel', { product, level: assuranceLevel });
  const time = inTime.stampedAt === null ? '' : formatTime(inTime.stampedAt);
  const { authority } = inTime;
  const codes = notes.map(({ code, isUnknown }) => (isUnknown ? speaker.say('unknownCode', { code }) : code));
  const rows: [string, string][] = [
    [speaker.say('unchanged'), speaker.say(`unchanged_${upper(unchanged)}`)],
    [speaker.say('signer'), speaker.say(`signer_${upper(answer)}`, { name: nameOf(signedBy), lists })],
    [speaker.say('product'), product === '' ? '' : level],
    [speaker.say('inTime'), speaker.say(`time_${upper(inTime.answer)}`, { time, authority })],
    [speaker.say('who'), speaker.say(`who_${upper(who.answer)}`, { names: who.names.join(', ') })],
    [speaker.say('readingNotes'), codes.join(', ')],
  ];
  const facts = rows.filter(([, value]) => value !== '');
  return {
    type: 'facts',
    rows: facts.map(([name, value]): Fact => ({ name, value: bounded(showText(value)) })),
  };
}

function manifestBlocks(
  speaker: Speaker,
  manifest: ManifestRecord,
  manifests: readonly ManifestRecord[],
): Block[] {
  const { generator, title, readings, steps, ingredients, trainingMining } = manifest;
  const state = speaker.say(`reading_${upper(readings.state)}`);
  const items = [
    ...steps.map((step) => describeStep(speaker, step)),
    ...trainingMining.map((fact) => `${speaker.say('trainingMining')}: ${describeMining(speaker, fact)}`),
  ];
  return [
    paragraph(`${generator || title || nameOf(readings.signedBy)}: ${state}`),
    ...(items.length === 0
      ? []
      : [{ type: 'list', items: items.map((item) => bounded(showText(item))) } as const]),
    // The active manifest's answers stand above all others.
    ...(manifest.isActive ? [] : [answerFacts(speaker, readings)]),
    ...ingredientBlocks(speaker, ingredients, manifests),
  ];
}

/** Each ingredient with its thumbnail, its role in the file, and the state of its own manifest. */
function ingredientBlocks(
  speaker: Speaker,
  ingredients: ManifestRecord['ingredients'],
  manifests: readonly ManifestRecord[],
): Block[] {
  if (ingredients.length === 0) return [];
  const items = ingredients.map(({ title, relationship, manifest: label, thumbnail: data }) => {
    const own = manifests.find((other) => other.label === label);
    const state = own?.readings.state;
    const read =
      state === undefined ? speaker.say('noManifestOfIngredient') : speaker.say(`reading_${upper(state)}`);
    const parts = [title, speaker.say(`ingredient_${upper(relationship)}`), read];
    const text = parts.filter((part) => part !== '').join(', ');
    return { data, text: bounded(showText(text)) };
  });
  return [paragraph(`${speaker.say('ingredients')}:`), { type: 'thumbnails', items }];
}

function describeMining(speaker: Speaker, { use, permission }: TrainingMiningFact): string {
  const [what, may] = [speaker.find(`mining_${use}`) ?? use, speaker.find(`permission_${permission}`)];
  return `${what}: ${may ?? permission}`;
}

function describeStep(
  speaker: Speaker,
  { kind, action, at, by, sourceType, sourceTypeWords, description }: TimelineStep,
): string {
  const name = kind === 'other' ? action : speaker.say(`step_${upper(kind)}`);
  const source = sourceTypeWords === null ? sourceType : sourceTypeWords[speaker.language];
  const parts = [name, source, by, at === null ? '' : formatTime(at), description];
  return parts.filter((part) => part !== '').join(', ');
}

function judgedBlocks(speaker: Speaker, { lists, readAt }: ProvenanceRecord): Block[] {
  if (readAt === null) return [];
  const names = lists.map(({ id, sha256 }) => `${id} (SHA-256 ${sha256})`).join(', ');
  return [paragraph(`${speaker.say('judgedBy', { lists: names, time: formatTime(readAt) })}.`)];
}

function upper<Word extends string>(word: Word): Uppercase<Word> {
  return word.toUpperCase() as Uppercase<Word>;
}

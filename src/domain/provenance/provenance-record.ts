/** A record's provenance: the answers, the sentence, and how the file came about. Pure. */

import { flag, listOf, moment, noun, nullable, oneOf, text, type ValuesOf, whole } from '../field.ts';
import {
  type IngredientFacts,
  MANIFEST_SOURCE,
  type ManifestFacts,
  type StoreFacts,
  type TrainingMiningFact,
} from './manifest-facts.ts';
import type { OuterReading } from './outer-reading.ts';
import type { Provenance } from './provenance.ts';
import { NOT_READABLE, sentenceOf } from './reading-sentence.ts';
import { type Readings, readManifest } from './readings.ts';
import type { Sentence } from './sentence.ts';
import { orderManifests, stepsOf, type TimelineStep } from './timeline.ts';
import type { AppliedList } from './trust-list.ts';

export const PROVENANCE = {
  readings: nullable(
    noun<Readings>(
      'ProvenanceReadings',
      'Readings of the manifest that speaks for the file; null if none could be read.',
    ),
  ),
  sentence: nullable(
    noun<Sentence>('Sentence', 'What it comes to; null where the file holds and names no manifest.'),
  ),
  source: nullable(oneOf(MANIFEST_SOURCE)),
  manifests: listOf(
    noun<ManifestRecord>(
      'Manifest',
      'How the file came about: oldest first, the manifest that speaks for the file last.',
    ),
  ),
  leftOut: whole('Manifests beyond the bound.'),
  lists: listOf(noun<AppliedList>('AppliedTrustList', 'Trust lists that judged it.')),
  readAt: nullable(moment('Certificates were valid or expired then.')),
  remoteManifestUrl: nullable(text('Address of a manifest that lies elsewhere; null where none is named.')),
  fault: nullable(text('Why a manifest cannot be read; null where one can or there is none.')),
  outer: nullable(
    noun<OuterReading>(
      'OuterManifest',
      'What became of a manifest that does not lie in the file; null where there is none.',
    ),
  ),
  isFormatUnreadable: flag(
    'The file is of a format in which no manifest can be read: whether it holds one is not known.',
  ),
};
export interface ProvenanceRecord extends ValuesOf<typeof PROVENANCE> {}

export const MANIFEST = {
  label: text(),
  title: text(),
  format: text(),
  generator: text('The program or device, as it calls itself.'),
  isActive: flag('Whether it speaks for the file.'),
  readings: noun<Readings>('ProvenanceReadings'),
  steps: listOf(noun<TimelineStep>('TimelineStep')),
  ingredients: listOf(noun<IngredientFacts>('Ingredient')),
  trainingMining: listOf(noun<TrainingMiningFact>('TrainingMining')),
};
export interface ManifestRecord extends ValuesOf<typeof MANIFEST> {}

/** Null for a result of a version that read no facts. */
export function toProvenanceRecord(provenance: Provenance): ProvenanceRecord | null {
  const { hasReadFacts, store, remoteManifestUrl, fault } = provenance;
  const { outer = null, isFormatUnreadable = false } = provenance;
  if (hasReadFacts !== true) return null;
  const none = { readings: null, source: null, manifests: [], leftOut: 0, lists: [], readAt: null };
  const elsewhere = { remoteManifestUrl, fault, outer, isFormatUnreadable };
  if (store === undefined) return { ...none, sentence: unreadSentence(provenance), ...elsewhere };
  const manifests = orderManifests(store).map((manifest) => toManifest(store, manifest));
  const readings = manifests.find(({ isActive }) => isActive)?.readings ?? null;
  const hasBroken = manifests.some((manifest) => !manifest.isActive && manifest.readings.state === 'broken');
  const { source, leftOut, lists, readAt } = store;
  const sentence = readings === null ? NOT_READABLE : sentenceOf(readings, hasBroken);
  return { readings, sentence, source, manifests, leftOut, lists, readAt, ...elsewhere };
}

function toManifest({ active, readAt }: StoreFacts, facts: ManifestFacts): ManifestRecord {
  const { label, title, format, generator, ingredients, trainingMining } = facts;
  const isActive = label === active;
  const readings = readManifest(facts, { isActive, readAt });
  const steps = stepsOf(facts);
  return { label, title, format, generator, isActive, readings, steps, ingredients, trainingMining };
}

/**
 * One sentence on a manifest that could not be read, and why, so that silence is never taken for absence. Null if the file
 * holds no manifest, names none, and is of a format in which one could be read.
 */
function unreadSentence(provenance: Provenance): Sentence | null {
  const { outer, fault, remoteManifestUrl, isFormatUnreadable } = provenance;
  if (outer !== undefined && outer.outcome !== 'embedded_speaks') return outerSentence(outer);
  if (fault !== null) return NOT_READABLE;
  if (remoteManifestUrl !== null) return NOT_FETCHED;
  return isFormatUnreadable === true ? FORMAT_UNREADABLE : null;
}

const NOT_FETCHED: Sentence = {
  en: 'The file names a manifest that lies elsewhere and was not fetched: nothing is known of it.',
  it: 'Il file indica un manifesto che si trova altrove e non è stato scaricato: non se ne sa nulla.',
};
const FORMAT_UNREADABLE: Sentence = {
  en: 'Manifests are not readable in this format: whether the file holds one is not known.',
  it: 'In questo formato i manifesti non sono leggibili: non si sa se il file ne contenga uno.',
};

function outerSentence({ source, outcome, host, reason }: OuterReading): Sentence {
  const isBeside = source === 'sidecar';
  switch (outcome) {
    case 'host_not_allowed':
      return {
        en: `The remote manifest at ${host} was not fetched: the host is not allowed. Nothing is known of it.`,
        it: `Il manifesto remoto su ${host} non è stato scaricato: l'host non è ammesso. Non se ne sa nulla.`,
      };
    case 'not_fetched':
      return {
        en: `The remote manifest at ${host} was not fetched (${reason}): nothing is known of it.`,
        it: `Il manifesto remoto su ${host} non è stato scaricato (${reason}): non se ne sa nulla.`,
      };
    case 'no_manifest':
      return {
        en: `What lies at the address that the file names (${host}) is no manifest.`,
        it: `Ciò che si trova all'indirizzo indicato dal file (${host}) non è un manifesto.`,
      };
    case 'format_not_readable':
      return isBeside
        ? {
            en: 'The manifest beside the file was not read: for this format it is not readable.',
            it: 'Il manifesto accanto al file non è stato letto: per questo formato non è leggibile.',
          }
        : {
            en: 'The fetched manifest was not read: for this format it is not readable.',
            it: 'Il manifesto scaricato non è stato letto: per questo formato non è leggibile.',
          };
    default:
      return isBeside
        ? {
            en: 'The manifest beside the file cannot be read: it is damaged, or no manifest.',
            it: 'Il manifesto accanto al file non si può leggere: è danneggiato, o non è un manifesto.',
          }
        : {
            en: 'The fetched manifest cannot be read: it is damaged, or no manifest.',
            it: 'Il manifesto scaricato non si può leggere: è danneggiato, o non è un manifesto.',
          };
  }
}

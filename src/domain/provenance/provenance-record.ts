/** A record's provenance: the answers, the sentence, and how the file came about. Pure. */

import type {
  IngredientFacts,
  ManifestFacts,
  ManifestSource,
  StoreFacts,
  TrainingMiningFact,
} from './manifest-facts.ts';
import type { OuterReading } from './outer-reading.ts';
import type { Provenance } from './provenance.ts';
import { NOT_READABLE, sentenceOf } from './reading-sentence.ts';
import { type Readings, readManifest } from './readings.ts';
import type { Sentence } from './sentence.ts';
import { orderManifests, stepsOf, type TimelineStep } from './timeline.ts';
import type { AppliedList } from './trust-list.ts';
import { unreadSentence } from './unread-sentence.ts';

export interface ProvenanceRecord {
  /** Readings of the active manifest; null if none could be read. */
  readings: Readings | null;
  /** Null if the file neither holds nor names a manifest. */
  sentence: Sentence | null;
  source: ManifestSource | null;
  /** Oldest first, the active one last. */
  manifests: ManifestRecord[];
  /** Manifests beyond the bound. */
  leftOut: number;
  /** Trust lists that judged it. */
  lists: AppliedList[];
  /** Microseconds since 1970; null without a manifest. */
  readAt: number | null;
  /** Address of a remote manifest. */
  remoteManifestUrl: string | null;
  /** Why a manifest cannot be read. */
  fault: string | null;
  /** The outcome of a manifest outside the file; null if there is none. */
  outer: OuterReading | null;
  /** Whether manifests of the file's format cannot be read. */
  isFormatUnreadable: boolean;
}

export interface ManifestRecord {
  label: string;
  title: string;
  format: string;
  generator: string;
  isActive: boolean;
  readings: Readings;
  steps: TimelineStep[];
  ingredients: IngredientFacts[];
  trainingMining: TrainingMiningFact[];
}

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

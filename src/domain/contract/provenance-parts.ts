/** A record's provenance, one row a field. The tables stand beside the rules of reading. */
import { type FieldsOf, type Noun, oneOf, text } from '../field.ts';
import {
  type IngredientFacts,
  MANIFEST_SOURCE,
  type TrainingMiningFact,
  type Voucher,
} from '../provenance/manifest-facts.ts';
import type { OuterReading } from '../provenance/outer-reading.ts';
import { MANIFEST, PROVENANCE } from '../provenance/provenance-record.ts';
import { IN_TIME, NOTE, READINGS, SIGNED_BY, WHO } from '../provenance/readings.ts';
import { SENTENCE } from '../provenance/sentence.ts';
import { TIMELINE_STEP } from '../provenance/timeline.ts';
import { APPLIED_LIST } from '../provenance/trust-list.ts';
import { INGREDIENT_RELATIONSHIP, OUTER_MANIFEST_OUTCOME } from './words.ts';

const VOUCHER = {
  list: text('Identifier of a trust list.'),
  by: text('The authority on it, or the certificate itself.'),
} satisfies FieldsOf<Voucher>;

const INGREDIENT = {
  title: text(),
  format: text(),
  relationship: oneOf(INGREDIENT_RELATIONSHIP),
  manifest: text('Label of its manifest; empty where it has none.'),
  thumbnail: text('A JPEG of at most 96 pixels as a data address, drawn anew; empty where there is none.'),
} satisfies FieldsOf<IngredientFacts>;

const TRAINING_MINING = {
  use: text('ai_training, ai_generative_training, ai_inference, data_mining, …'),
  permission: text('allowed, notAllowed, constrained.'),
} satisfies FieldsOf<TrainingMiningFact>;

const OUTER_READING = {
  source: oneOf(MANIFEST_SOURCE),
  outcome: oneOf(OUTER_MANIFEST_OUTCOME),
  host: text('Host of a remote manifest; empty for a manifest beside the file.'),
  sha256: text('SHA-256 of the manifest, hex; empty if there is none.'),
  reason: text('Why it was not fetched; empty otherwise.'),
} satisfies FieldsOf<OuterReading>;

export const PROVENANCE_PARTS: readonly Noun[] = [
  { name: 'Sentence', fields: SENTENCE },
  { name: 'AppliedTrustList', fields: APPLIED_LIST },
  { name: 'Voucher', fields: VOUCHER },
  { name: 'SignedBy', fields: SIGNED_BY },
  { name: 'InTime', fields: IN_TIME },
  { name: 'Who', fields: WHO },
  { name: 'ReadingNote', fields: NOTE },
  { name: 'ProvenanceReadings', description: 'Four plain answers.', fields: READINGS },
  { name: 'TimelineStep', description: 'What a manifest declares that was done.', fields: TIMELINE_STEP },
  { name: 'Ingredient', fields: INGREDIENT },
  { name: 'TrainingMining', fields: TRAINING_MINING },
  { name: 'Manifest', description: 'One manifest: who signed it and what was done.', fields: MANIFEST },
  {
    name: 'OuterManifest',
    description: 'A manifest that does not lie in its file: beside it, or at an address that it names.',
    fields: OUTER_READING,
  },
  {
    name: 'Provenance',
    description: 'What signed manifests (C2PA) say of a file, read as a person means it.',
    fields: PROVENANCE,
  },
];

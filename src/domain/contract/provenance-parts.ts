/** A record's provenance, one row a field. The types stand beside the rules of reading. */

import {
  type FieldsOf,
  flag,
  listOf,
  moment,
  type Noun,
  noun,
  nullable,
  oneOf,
  text,
  whole,
} from '../field.ts';
import type { IngredientFacts, TrainingMiningFact, Voucher } from '../provenance/manifest-facts.ts';
import type { OuterReading } from '../provenance/outer-reading.ts';
import type { ManifestRecord, ProvenanceRecord } from '../provenance/provenance-record.ts';
import type { InTime, ReadingNote, Readings, SignedBy, Who } from '../provenance/readings.ts';
import type { Sentence } from '../provenance/sentence.ts';
import type { TimelineStep } from '../provenance/timeline.ts';
import type { AppliedList } from '../provenance/trust-list.ts';
import {
  INGREDIENT_RELATIONSHIP,
  MANIFEST_SOURCE,
  OUTER_MANIFEST_OUTCOME,
  READING_STATE,
  SIGNER_ANSWER,
  STEP_KIND,
  TIME_ANSWER,
  UNCHANGED_ANSWER,
  WHO_ANSWER,
} from './words.ts';

const SENTENCE = { en: text(), it: text() } satisfies FieldsOf<Sentence>;

const APPLIED_LIST = {
  id: text(),
  sha256: text('Hash of its files, hex.'),
} satisfies FieldsOf<AppliedList>;

const VOUCHER = {
  list: text('Identifier of a trust list.'),
  by: text('The authority on it, or the certificate itself.'),
} satisfies FieldsOf<Voucher>;

const SIGNED_BY = {
  answer: oneOf(SIGNER_ANSWER),
  name: text('As in the certificate.'),
  organisation: text(),
  issuer: text('Who issued the certificate.'),
  fingerprint: text('SHA-256 of the certificate, hex.'),
  product: text('As the list of conforming products calls it; empty where it is not on it.'),
  assuranceLevel: nullable(whole()),
  lists: listOf(noun<Voucher>('Voucher', 'Lists that vouch for the signer.')),
  validFrom: nullable(moment()),
  validUntil: nullable(moment()),
} satisfies FieldsOf<SignedBy>;

const IN_TIME = {
  answer: oneOf(TIME_ANSWER),
  stampedAt: nullable(moment('When the time stamp says that it was signed, by any authority.')),
  authority: text(),
  lists: listOf(noun<Voucher>('Voucher', 'Lists that vouch for the authority.')),
} satisfies FieldsOf<InTime>;

const WHO = {
  answer: oneOf(WHO_ANSWER),
  names: listOf(text('As it says; verified only where the answer says so.')),
} satisfies FieldsOf<Who>;

const NOTE = {
  code: text('Code of the C2PA or CAWG specification, or of none.'),
  isUnknown: flag('Whether no table has the code.'),
  explanation: text(),
} satisfies FieldsOf<ReadingNote>;

const READINGS = {
  state: oneOf(READING_STATE),
  unchanged: oneOf(UNCHANGED_ANSWER),
  signedBy: noun<SignedBy>('SignedBy'),
  inTime: noun<InTime>('InTime'),
  who: noun<Who>('Who'),
  notes: listOf(
    noun<ReadingNote>(
      'ReadingNote',
      'Codes that break a rule or could not be judged, and those that no table has.',
    ),
  ),
} satisfies FieldsOf<Readings>;

const TIMELINE_STEP = {
  kind: oneOf(STEP_KIND),
  action: text('As declared: c2pa.created.'),
  at: nullable(moment('As declared; null where no time is.')),
  by: text('The program or device.'),
  sourceType: text('Term of the IPTC vocabulary, as declared.'),
  sourceTypeWords: nullable(
    noun<Sentence>('Sentence', 'Null where none is declared or the vocabulary has no such term.'),
  ),
  description: text(),
} satisfies FieldsOf<TimelineStep>;

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

const MANIFEST = {
  label: text(),
  title: text(),
  format: text(),
  generator: text('The program or device, as it calls itself.'),
  isActive: flag('Whether it speaks for the file.'),
  readings: noun<Readings>('ProvenanceReadings'),
  steps: listOf(noun<TimelineStep>('TimelineStep')),
  ingredients: listOf(noun<IngredientFacts>('Ingredient')),
  trainingMining: listOf(noun<TrainingMiningFact>('TrainingMining')),
} satisfies FieldsOf<ManifestRecord>;

const OUTER_READING = {
  source: oneOf(MANIFEST_SOURCE),
  outcome: oneOf(OUTER_MANIFEST_OUTCOME),
  host: text('Host of a remote manifest; empty for a manifest beside the file.'),
  sha256: text('SHA-256 of the manifest, hex; empty if there is none.'),
  reason: text('Why it was not fetched; empty otherwise.'),
} satisfies FieldsOf<OuterReading>;

const PROVENANCE = {
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
} satisfies FieldsOf<ProvenanceRecord>;

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

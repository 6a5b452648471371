/** Signed manifests as the command line shows them: the sentence, the four answers, and the dated actions. */
import { type JsonObject, toJson } from '@bufbuild/protobuf';
import type { ComparedFile, ComparedReadings } from '../../domain/verdicts/answers-compared.ts';
import {
  IngredientRelationship,
  type Manifest,
  ManifestSource,
  type OuterManifest,
  OuterManifestOutcome,
  type Provenance,
  type ProvenanceReadings,
  ProvenanceReadingsSchema,
  ProvenanceSchema,
  ReadingState,
  SignerAnswer,
  StepKind,
  TimeAnswer,
  type TimelineStep,
  UnchangedAnswer,
  WhoAnswer,
} from '../../grpc/gen/assay/v1/provenance_pb.ts';
import { fromMessage } from '../../grpc/messages.ts';
import { nameOf } from './enum-word.ts';
import { formatTimestamp } from './timestamp.ts';

/** Every field present and enum values in lower case; null if the daemon sends none. */
export function toProvenanceJson(provenance: Provenance | undefined): JsonObject | null {
  if (provenance === undefined) return null;
  return toJson(ProvenanceSchema, provenance, {
    useProtoFieldName: true,
    alwaysEmitImplicit: true,
  }) as JsonObject;
}

/** The parts that a comparison of two files uses. */
export function toComparedFile(provenance: Provenance | undefined): ComparedFile {
  const { readings, fault = '', remoteManifestUrl = '', isFormatUnreadable = false } = provenance ?? {};
  const mayHoldOne = fault !== '' || remoteManifestUrl !== '' || isFormatUnreadable;
  if (readings === undefined) return { readings: null, mayHoldOne };
  const words = fromMessage(ProvenanceReadingsSchema, readings, (value) => value) as unknown as {
    unchanged: ComparedReadings['unchanged'];
    signed_by: ComparedReadings['signedBy'];
    in_time: ComparedReadings['inTime'];
    who: ComparedReadings['who'];
  };
  const { unchanged, signed_by: signedBy, in_time: inTime, who } = words;
  return { readings: { unchanged, signedBy, inTime, who }, mayHoldOne };
}

/** Rows of name and text; none for a file without a manifest. */
export function describeProvenance(provenance: Provenance | undefined): string[][] {
  const { sentence, readings, manifests = [], outer } = provenance ?? {};
  const beside = outer === undefined ? [] : [['', describeOuter(outer)]];
  if (sentence === undefined) return beside;
  return [
    ['provenance', sentence.en],
    ...beside,
    ...(readings === undefined ? [] : describeReadings(readings)),
    ...manifests.flatMap(describeManifest),
  ];
}

function describeOuter({ source, outcome, host, reason }: OuterManifest): string {
  const place = source === ManifestSource.SIDECAR ? 'manifest beside the file' : `remote manifest at ${host}`;
  return `${place}: ${[nameOf(OuterManifestOutcome, outcome).replaceAll('_', ' '), reason].filter(Boolean).join(', ')}`;
}

function describeReadings({
  state,
  unchanged,
  signedBy,
  inTime,
  who,
  notes,
}: ProvenanceReadings): string[][] {
  const lists = signedBy?.lists.map(({ list, by }) => `${list} (${by})`).join(', ') ?? '';
  return [
    ['', `reading: ${nameOf(ReadingState, state)}`],
    ['', `unchanged: ${nameOf(UnchangedAnswer, unchanged)}`],
    [
      '',
      `signed by: ${[nameOf(SignerAnswer, signedBy?.answer), signedBy?.name, lists].filter(Boolean).join(', ')}`,
    ],
    ['', `in time: ${[nameOf(TimeAnswer, inTime?.answer), inTime?.authority].filter(Boolean).join(', ')}`],
    ['', `who: ${[nameOf(WhoAnswer, who?.answer), ...(who?.names ?? [])].join(', ')}`],
    ...notes.map(({ code, isUnknown }) => ['', `${isUnknown ? 'unknown code' : 'not fine'}: ${code}`]),
  ];
}

function describeManifest({ generator, readings, steps, ingredients, trainingMining }: Manifest): string[][] {
  const signer = readings?.signedBy?.name ?? '';
  const head = [generator, signer === '' ? '' : `signed by ${signer}`].filter(Boolean).join(', ');
  return [
    ['manifest', `${head}: ${nameOf(ReadingState, readings?.state)}`],
    ...steps.map((step) => ['', describeStep(step)]),
    ...ingredients.map(({ title, relationship }) => [
      '',
      `made from: ${title} (${nameOf(IngredientRelationship, relationship)})`,
    ]),
    ...trainingMining.map(({ use, permission }) => ['', `${use}: ${permission}`]),
  ];
}

function describeStep({
  kind,
  action,
  at,
  by,
  sourceType,
  sourceTypeWords,
  description,
}: TimelineStep): string {
  const when = formatTimestamp(at).slice(0, 19);
  const source = sourceTypeWords?.en ?? sourceType;
  const what = kind === StepKind.OTHER ? action : nameOf(StepKind, kind);
  return [what, when, by, source, description].filter((part) => part !== '').join(', ');
}

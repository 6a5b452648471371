/** One row per enum value of the domain; a value the messages lack fails to compile. */

import { badField } from '../../domain/errors.ts';
import { type HeatmapLayer as DomainLayer, HEATMAP_LAYERS } from '../../domain/media/heatmap.ts';
import {
  type MediaKind as DomainKind,
  type Label as DomainLabel,
  LABELS,
  MEDIA_KINDS,
} from '../../domain/media/media.ts';
import type { Axis as DomainAxis } from '../../domain/packs/model-pack.ts';
import type {
  Origin as DomainOrigin,
  Priority as DomainPriority,
  Status as DomainStatus,
} from '../../domain/records/classification.ts';
import type { KeyFrameMethod as DomainMethod } from '../../domain/records/options.ts';
import type { Outcome as DomainOutcome } from '../../domain/records/outcome.ts';
import type { AssessmentState as DomainAssessmentState } from '../../domain/verdicts/assessment.ts';
import type { DeclaredOrigin as DomainDeclaredOrigin } from '../../domain/verdicts/provenance.ts';
import { AssessmentState, DeclaredOrigin } from '../../grpc/gen/assay/v1/assessment_pb.ts';
import { Axis, HeatmapLayer, Origin, Outcome, Status } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { KeyFrameMethod, Label, MediaKind, Priority } from '../../grpc/gen/assay/v1/media_pb.ts';

export const KIND: Readonly<Record<DomainKind, MediaKind>> = {
  image: MediaKind.IMAGE,
  video: MediaKind.VIDEO,
  audio: MediaKind.AUDIO,
};

export const LABEL: Readonly<Record<DomainLabel, Label>> = {
  human: Label.HUMAN,
  artificial: Label.ARTIFICIAL,
};

export const METHOD: Readonly<Record<DomainMethod, KeyFrameMethod>> = {
  iframes: KeyFrameMethod.IFRAMES,
  flow: KeyFrameMethod.FLOW,
  color: KeyFrameMethod.COLOR,
};

export const PRIORITY: Readonly<Record<DomainPriority, Priority>> = {
  interactive: Priority.INTERACTIVE,
  batch: Priority.BATCH,
};

export const STATUS: Readonly<Record<DomainStatus, Status>> = {
  new: Status.NEW,
  done: Status.DONE,
  errored: Status.ERRORED,
};

export const OUTCOME: Readonly<Record<DomainOutcome, Outcome>> = {
  waiting: Outcome.WAITING,
  failed: Outcome.FAILED,
  human: Outcome.HUMAN,
  artificial: Outcome.ARTIFICIAL,
  inconclusive: Outcome.INCONCLUSIVE,
  not_applicable: Outcome.NOT_APPLICABLE,
};

export const ORIGIN: Readonly<Record<DomainOrigin, Origin>> = {
  analysed: Origin.ANALYSED,
  joined: Origin.JOINED,
  cached: Origin.CACHED,
};

export const AXIS: Readonly<Record<DomainAxis, Axis>> = {
  generated: Axis.GENERATED,
  swapped: Axis.SWAPPED,
  edited: Axis.EDITED,
  nsfw: Axis.NSFW,
  face: Axis.FACE,
};

export const HEATMAP_LAYER: Readonly<Record<DomainLayer, HeatmapLayer>> = {
  origin: HeatmapLayer.ORIGIN,
  tampering: HeatmapLayer.TAMPERING,
  tampering_reliability: HeatmapLayer.TAMPERING_RELIABILITY,
};

export const ASSESSMENT_STATE: Readonly<Record<DomainAssessmentState, AssessmentState>> = {
  human: AssessmentState.HUMAN,
  artificial: AssessmentState.ARTIFICIAL,
  inconclusive: AssessmentState.INCONCLUSIVE,
  not_applicable: AssessmentState.NOT_APPLICABLE,
};

export const DECLARED_ORIGIN: Readonly<Record<DomainDeclaredOrigin, DeclaredOrigin>> = {
  generated: DeclaredOrigin.GENERATED,
  composite_with_generated: DeclaredOrigin.COMPOSITE_WITH_GENERATED,
  captured: DeclaredOrigin.CAPTURED,
  edited: DeclaredOrigin.EDITED,
  unknown: DeclaredOrigin.UNKNOWN,
};

/** Undefined where it is unspecified; an enum is open on the wire, so any other number is the caller's fault. */
export function fromKind(kind: MediaKind, field: string): DomainKind | undefined {
  return fromEnum(KIND, MEDIA_KINDS, kind, field);
}

export function requireKind(kind: MediaKind, field: string): DomainKind {
  const known = fromKind(kind, field);
  if (known === undefined) throw badField(field, 'expected a media kind, found none');
  return known;
}

export function fromLabel(label: Label, field: string): DomainLabel | undefined {
  return fromEnum(LABEL, LABELS, label, field);
}

export function fromHeatmapLayer(layer: HeatmapLayer): DomainLayer | undefined {
  return fromEnum(HEATMAP_LAYER, HEATMAP_LAYERS, layer, 'layer');
}

export function fromEnum<Name extends string, Value extends number>(
  table: Readonly<Record<Name, Value>>,
  names: readonly Name[],
  value: Value,
  field: string,
): Name | undefined {
  const found = nameOrNumber(table, names, value);
  if (typeof found === 'number') throw badField(field, `expected a listed value, found ${found}`);
  return found;
}

/** As fromEnum, with an unlisted number as it came, for the app to refuse together with what else is wrong. */
export function nameOrNumber<Name extends string, Value extends number>(
  table: Readonly<Record<Name, Value>>,
  names: readonly Name[],
  value: Value,
): Name | Value | undefined {
  return names.find((candidate) => table[candidate] === value) ?? (value === 0 ? undefined : value);
}

/** One row per enum value of the domain; a value the messages lack fails to compile. */
import type { AssessmentState as DomainAssessmentState } from '../../domain/assessment.ts';
import type { Origin as DomainOrigin, Status as DomainStatus } from '../../domain/classification.ts';
import { badField } from '../../domain/errors.ts';
import {
  type MediaKind as DomainKind,
  type Label as DomainLabel,
  LABELS,
  MEDIA_KINDS,
} from '../../domain/media.ts';
import type { Axis as DomainAxis } from '../../domain/model-pack.ts';
import { type KeyFrameMethod as DomainMethod, KEY_FRAME_METHODS } from '../../domain/options.ts';
import type { DeclaredOrigin as DomainDeclaredOrigin } from '../../domain/provenance.ts';
import { AssessmentState, DeclaredOrigin } from '../../grpc/gen/assay/v1/assessment_pb.ts';
import { Axis, Origin, Status } from '../../grpc/gen/assay/v1/classification_pb.ts';
import { KeyFrameMethod, Label, MediaKind } from '../../grpc/gen/assay/v1/media_pb.ts';

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

export const STATUS: Readonly<Record<DomainStatus, Status>> = {
  new: Status.NEW,
  done: Status.DONE,
  errored: Status.ERRORED,
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

export function fromMethod(method: KeyFrameMethod, field: string): DomainMethod | undefined {
  return fromEnum(METHOD, KEY_FRAME_METHODS, method, field);
}

export function fromEnum<Name extends string, Value extends number>(
  table: Readonly<Record<Name, Value>>,
  names: readonly Name[],
  value: Value,
  field: string,
): Name | undefined {
  const name = names.find((candidate) => table[candidate] === value);
  if (name === undefined && value !== 0) throw badField(field, `expected a listed value, found ${value}`);
  return name;
}

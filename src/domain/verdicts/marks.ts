/** Marks of a file's own origin, and what could not be looked for, derived on reading; an absent mark says nothing. Pure. */
import { z } from 'zod';
import { type Choice, nullable, oneOf, text, type ValuesOf } from '../field.ts';
import {
  chanceOf,
  MARKED_PIXELS_MIN,
  messageOf,
  WATERMARK_IDS,
  type WatermarkFind,
} from '../media/open-watermarks.ts';
import { DECLARATION_ROWS } from '../provenance/declared-marks.ts';
import {
  DECLARED_ORIGIN,
  type Declaration,
  type DeclaredOrigin,
  isSourceType,
  type Provenance,
} from '../provenance/provenance.ts';

import { nameOf } from '../provenance/reading-sentence.ts';
import { type Readings, readActive } from '../provenance/readings.ts';

export const MARK_KINDS = [
  'c2pa',
  'source_type',
  'generator_parameters',
  'generator_name',
  'open_watermark',
  'closed_watermark',
] as const;
export const MARK_KIND = {
  name: 'MarkKind',
  description:
    'C2PA and the IPTC source type, what generators write beside the picture and into its pixels, and the watermarks that only their makers can look for.',
  words: MARK_KINDS,
} as const satisfies Choice;
export type MarkKind = (typeof MARK_KINDS)[number];

export const MARK_STATES = ['found', 'absent', 'broken', 'not_checkable'] as const;
export const MARK_STATE = {
  name: 'MarkState',
  description: 'ABSENT says nothing of the origin: most marks are lost on the way. NOT_CHECKABLE says why.',
  words: MARK_STATES,
} as const satisfies Choice;

/** `strong`: hardly there by accident, or signed. `weak`: text that anyone can write or strip. `none`: says nothing. */
export const MARK_STRENGTHS = ['none', 'weak', 'strong'] as const;
export const MARK_STRENGTH = {
  name: 'MarkStrength',
  description: 'STRONG: signed, or hardly there by accident. WEAK: text that anyone can write or strip.',
  words: MARK_STRENGTHS,
} as const satisfies Choice;

export const MARK = {
  kind: oneOf(MARK_KIND),
  state: oneOf(MARK_STATE),
  field: text('Where it stands; empty where none was found.'),
  value: text('What was found, or why it could not be looked for; empty where it is absent.'),
  origin: nullable(oneOf(DECLARED_ORIGIN, 'What it declares; null where it declares nothing.')),
  strength: oneOf(MARK_STRENGTH),
};
export interface Mark extends ValuesOf<typeof MARK> {}

const watermarkFind = z.strictObject({
  id: z.enum(WATERMARK_IDS),
  bits: z.int().min(1).max(1000),
  errors: z.int().min(0).max(1000),
});

/** The decoder's own search, as it is stored with a result. */
export const markSearchSchema = z.strictObject({
  /** Whether metadata of this format are read. */
  hasReadMetadata: z.boolean(),
  /** Null if no watermark was looked for: a picture below the least size, or no picture. */
  watermarks: z.array(watermarkFind).max(WATERMARK_IDS.length).nullable(),
});
export type MarkSearch = z.infer<typeof markSearchSchema>;

export interface MarkedMedia {
  kind: 'image' | 'audio' | 'video';
  provenance: Provenance;
  /** Absent in results of versions that did not look. */
  marks?: MarkSearch | undefined;
}

/** Null if they were not looked for. */
export function marksOf({ kind, provenance, marks }: MarkedMedia): Mark[] | null {
  if (marks === undefined) return null;
  return [
    c2paMark(provenance),
    ...metadataMarks(provenance.declarations ?? [], marks.hasReadMetadata),
    ...watermarkMarks(kind, marks.watermarks),
    notCheckable(
      'closed_watermark',
      'SynthID and others whose makers publish no detector: only they can look for them.',
    ),
  ];
}

function c2paMark(provenance: Provenance): Mark {
  const { c2pa, declaredOrigin, signer, fault, remoteManifestUrl, store } = provenance;
  const field = 'C2PA manifest';
  const readings = store === undefined ? null : readActive(store);
  if (readings !== null) return readMark(readings, declaredOrigin);
  if (fault !== null) return broken('c2pa', field, fault);
  if (c2pa === null) {
    if (provenance.isFormatUnreadable === true) return notCheckable('c2pa', FORMAT_UNREADABLE);
    if (remoteManifestUrl === null) return absent('c2pa');
    return notCheckable('c2pa', `the manifest lies elsewhere and is not fetched: ${remoteManifestUrl}`);
  }
  const value = signer === null ? c2pa.validation_state : `${c2pa.validation_state}, signed by ${signer}`;
  if (c2pa.validation_state === 'Invalid') return broken('c2pa', field, value);
  return { kind: 'c2pa', state: 'found', field, value, origin: declaredOrigin, strength: 'strong' };
}

const FORMAT_UNREADABLE =
  'manifests are not readable in this format: whether the file holds one is not known.';

/** Anyone can sign in any name, so only a listed signer counts as strong. */
function readMark(readings: Readings, declaredOrigin: DeclaredOrigin | null): Mark {
  const field = 'C2PA manifest';
  const value = `${readings.state}, signed by ${nameOf(readings.signedBy)}`;
  if (readings.state === 'broken') return broken('c2pa', field, value);
  const strength = readings.signedBy.answer === 'on_list' ? 'strong' : 'weak';
  return { kind: 'c2pa', state: 'found', field, value, origin: declaredOrigin, strength };
}

function metadataMarks(declarations: readonly Declaration[], hasReadMetadata: boolean): Mark[] {
  const kinds = ['source_type', 'generator_parameters', 'generator_name'] as const;
  return kinds.flatMap((kind) => {
    const found = declarations.filter((declaration) => markKindOf(declaration) === kind).map(metadataMark);
    if (found.length > 0) return found;
    return hasReadMetadata ? absent(kind) : notCheckable(kind, 'metadata of this format are not read here.');
  });
}

/** Null for a camera's name: a claim as well, but no mark of a generator. */
function markKindOf({ kind, field, value, name }: Declaration): MarkKind | null {
  if (name !== undefined) return DECLARATION_ROWS[name].mark;
  // Results of versions without the table.
  if (kind === 'camera') return null;
  if (kind === 'source_type') return 'source_type';
  const isParameters = /parameters|prompt|workflow|UserComment/i.test(field) || /\bSteps:\s*\d/.test(value);
  return isParameters ? 'generator_parameters' : 'generator_name';
}

function metadataMark(declaration: Declaration): Mark {
  const { kind, field, value, origin } = declaration;
  const mark = { kind: markKindOf(declaration) ?? 'generator_name', field, value } as const;
  if (kind === 'source_type' && !isSourceType(value)) {
    return broken('source_type', field, `${value} is no term of the IPTC vocabulary`);
  }
  return { ...mark, state: 'found', origin, strength: 'weak' };
}

function watermarkMarks(kind: MarkedMedia['kind'], finds: readonly WatermarkFind[] | null): Mark[] {
  if (finds === null) {
    const why =
      kind === 'image'
        ? `the picture is smaller than the ${MARKED_PIXELS_MIN} pixels (256 × 256) from which the open schemes mark.`
        : 'no open scheme for films or sound is looked for here.';
    return [notCheckable('open_watermark', why)];
  }
  if (finds.length === 0) return [absent('open_watermark')];
  return finds.map((find) => ({
    kind: 'open_watermark',
    state: 'found',
    field: 'pixels',
    value: describeWatermark(find),
    origin: 'generated',
    strength: 'strong',
  }));
}

/** States how rare such a find is by accident, in powers of ten. */
export function describeWatermark({ id, bits, errors }: WatermarkFind): string {
  const message = messageOf(id);
  const found = `${message?.generator ?? id}, ${bits - errors} of ${bits} bits`;
  if (message === undefined) return found;
  const power = Math.floor(-Math.log10(chanceOf(bits, message.ones, errors)));
  return `${found} (by accident less than once in 10^${power} pictures)`;
}

function absent(kind: MarkKind): Mark {
  return { kind, state: 'absent', field: '', value: '', origin: null, strength: 'none' };
}

function broken(kind: MarkKind, field: string, value: string): Mark {
  return { kind, state: 'broken', field, value, origin: null, strength: 'none' };
}

function notCheckable(kind: MarkKind, value: string): Mark {
  return { kind, state: 'not_checkable', field: '', value, origin: null, strength: 'none' };
}

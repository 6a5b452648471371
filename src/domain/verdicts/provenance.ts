/**
 * What a file says of its own origin: the C2PA report in the fields of interface.md, and how it is read. A
 * signature proves who signed, never that the picture is true.
 */

export interface C2paStatus {
  url: string;
  code: string;
  explanation: string;
}

/** The c2pa object of the image record, names as documented (interface.md, c2pa fields). */
export interface C2paReport {
  manifests: Record<string, unknown>;
  active_manifest: string;
  validation_state: string;
  validation_status: C2paStatus[];
  validation_results: {
    activeManifest: { failure: unknown[]; success: unknown[]; informational: unknown[] };
    ingredientDeltas: unknown[];
  };
}

/** What kind of origin the manifests declare, by `digitalSourceType` (IPTC) and actions. */
/** Which signatures force `artificial` (DESIGN.md section 4): any, as documented; only a declared generator's; none. */
export const C2PA_POLICIES = ['any', 'generative', 'never'] as const;
export type C2paPolicy = (typeof C2PA_POLICIES)[number];

export const DECLARED_ORIGINS = [
  'generated',
  'composite_with_generated',
  'captured',
  'edited',
  'unknown',
] as const;
export type DeclaredOrigin = (typeof DECLARED_ORIGINS)[number];

export const DECLARATION_KINDS = ['source_type', 'generator', 'camera'] as const;

/** What unsigned metadata say of the origin: anyone can write or strip them. */
export interface Declaration {
  kind: (typeof DECLARATION_KINDS)[number];
  /** Where it stands: `XMP DigitalSourceType`, `PNG parameters`, … */
  field: string;
  /** As found, on one line, cut. */
  value: string;
  origin: DeclaredOrigin;
}

export interface Provenance {
  /** Null where the file holds no manifest. */
  c2pa: C2paReport | null;
  declaredOrigin: DeclaredOrigin | null;
  /** Common name or organisation of the active manifest's signer. */
  signer: string | null;
  /** Address of a manifest that is only referenced; it is never fetched. */
  remoteManifestUrl: string | null;
  /** A broken manifest store: the reader's sentence. */
  fault: string | null;
  /** Absent where the metadata say nothing of the origin. */
  declarations?: Declaration[] | undefined;
}

export const NO_PROVENANCE: Readonly<Provenance> = Object.freeze({
  c2pa: null,
  declaredOrigin: null,
  signer: null,
  remoteManifestUrl: null,
  fault: null,
});

const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

const ORIGIN_OF_SOURCE_TYPE: Readonly<Record<string, DeclaredOrigin>> = {
  trainedAlgorithmicMedia: 'generated',
  algorithmicMedia: 'generated',
  compositeWithTrainedAlgorithmicMedia: 'composite_with_generated',
  compositeSynthetic: 'composite_with_generated',
  digitalCapture: 'captured',
  computationalCapture: 'captured',
  multiFrameComputationalCapture: 'captured',
  negativeFilm: 'captured',
  positiveFilm: 'captured',
  print: 'captured',
  minorHumanEdits: 'edited',
  humanEdits: 'edited',
  composite: 'edited',
  compositeCapture: 'edited',
  algorithmicallyEnhanced: 'edited',
};

/** Terms of the vocabulary that say neither generated nor captured. */
const OTHER_SOURCE_TYPES = [
  ...['digitalArt', 'digitalCreation', 'dataDrivenMedia', 'virtualRecording', 'softwareImage'],
  'screenCapture',
];

/** Whether it is a term of the IPTC vocabulary, with or without its address. */
export function isSourceType(sourceType: string): boolean {
  const term = lastSegment(sourceType);
  return Object.hasOwn(ORIGIN_OF_SOURCE_TYPE, term) || OTHER_SOURCE_TYPES.includes(term);
}

/** The strongest declaration wins: a generated ingredient outweighs the capture around it. */
const STRENGTH: readonly DeclaredOrigin[] = [
  'generated',
  'composite_with_generated',
  'edited',
  'captured',
  'unknown',
];

/** Reads every `digitalSourceType` of every manifest of a report; `unknown` where none is declared. */
export function declaredOriginOf(report: C2paReport): DeclaredOrigin {
  const found = sourceTypesOf(report.manifests).map(originOfSourceType);
  return STRENGTH.find((origin) => found.includes(origin)) ?? 'unknown';
}

/** Of an IPTC term, with or without its address. */
export function originOfSourceType(sourceType: string): DeclaredOrigin {
  return ORIGIN_OF_SOURCE_TYPE[lastSegment(sourceType)] ?? 'unknown';
}

function lastSegment(sourceType: string): string {
  return sourceType.startsWith(IPTC) ? sourceType.slice(IPTC.length) : (sourceType.split('/').at(-1) ?? '');
}

function sourceTypesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(sourceTypesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'digitalSourceType' || key === 'digital_source_type') && typeof inner === 'string'
      ? [inner]
      : sourceTypesOf(inner),
  );
}

/** Whether anything in the file, signed or not, declares generated content. */
export function declaresGenerated(origin: DeclaredOrigin | null): boolean {
  return origin === 'generated' || origin === 'composite_with_generated';
}

/** Whether the signature forces `artificial` (DESIGN.md section 4, C2PA). */
export function forcesArtificial(provenance: Provenance, policy: C2paPolicy, prevented: boolean): boolean {
  if (provenance.c2pa === null || prevented || policy === 'never') return false;
  if (policy === 'any') return true;
  return declaresGenerated(provenance.declaredOrigin);
}

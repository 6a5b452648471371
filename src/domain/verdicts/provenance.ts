/**
 * What a file says of its own origin: the C2PA report in the fields of docs/interface.md, and how it is read. A
 * signature proves who signed, never that the picture is true.
 */
import type { StoreFacts } from '../provenance/manifest-facts.ts';
import { findSourceType, SOURCE_ORIGINS, type SourceOrigin } from '../provenance/source-types.ts';

export interface C2paStatus {
  url: string;
  code: string;
  explanation: string;
}

/** The c2pa object of the image record, names as documented (docs/interface.md, c2pa fields). */
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

/** Which signatures force `artificial` (docs/interface.md, C2PA): any, as documented; only a declared generator's; none. */
export const C2PA_POLICIES = ['any', 'generative', 'never'] as const;
export type C2paPolicy = (typeof C2PA_POLICIES)[number];

/** What kind of origin the manifests declare, by `digitalSourceType` (IPTC) and actions. */
export const DECLARED_ORIGINS = SOURCE_ORIGINS;
export type DeclaredOrigin = SourceOrigin;

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
  /** What the manifests hold; absent without one that could be read, and in results of versions that did not keep it. */
  store?: StoreFacts | undefined;
  /** Whether facts were looked for: absent in results of versions that did not. */
  hasReadFacts?: true | undefined;
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

/** Whether it is a term of the IPTC vocabulary, with or without its address. */
export function isSourceType(sourceType: string): boolean {
  return findSourceType(sourceType) !== null;
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
  return findSourceType(sourceType)?.origin ?? 'unknown';
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

/** Whether the signature forces `artificial` (docs/interface.md, C2PA). */
export function forcesArtificial(provenance: Provenance, policy: C2paPolicy, prevented: boolean): boolean {
  if (provenance.c2pa === null || prevented || policy === 'never') return false;
  if (policy === 'any') return true;
  return declaresGenerated(provenance.declaredOrigin);
}

/** A file's declarations of its origin, as in docs/interface.md; a signature proves who signed, never that it is true. */
import { z } from 'zod';
import type { Choice } from '../field.ts';
import { DECLARATION_NAMES } from './declared-marks.ts';
import { fileFactsSchema } from './file-facts.ts';
import { storeFactsSchema } from './manifest-facts.ts';
import { outerReadingSchema } from './outer-reading.ts';
import { findSourceType, SOURCE_ORIGINS, type SourceOrigin } from './source-types.ts';

/** Somewhat more than the decoder cuts each text to. */
const text = z.string().max(4000);
/** The label of a manifest; the whole report is at most 1 MB. */
const label = z.string().max(1024 * 1024);
const sentence = z.string().max(2000);

const c2paStatus = z.strictObject({ url: text, code: text, explanation: text });
export type C2paStatus = z.infer<typeof c2paStatus>;

const c2paReport = z.strictObject({
  manifests: z.record(z.string(), z.unknown()),
  active_manifest: label,
  validation_state: text,
  validation_status: z.array(c2paStatus).max(50_000),
  validation_results: z.strictObject({
    activeManifest: z.strictObject({
      failure: z.array(z.unknown()),
      success: z.array(z.unknown()),
      informational: z.array(z.unknown()),
    }),
    ingredientDeltas: z.array(z.unknown()),
  }),
});
/** The c2pa object of the image record, names as documented (docs/interface.md, c2pa fields). */
export type C2paReport = z.infer<typeof c2paReport>;

/** Signatures that force `artificial` (docs/interface.md, C2PA): any, as documented; those that declare a generator; none. */
export const C2PA_POLICIES = ['any', 'generative', 'never'] as const;
export type C2paPolicy = (typeof C2PA_POLICIES)[number];

/** The kind of origin that the manifests declare, by `digitalSourceType` (IPTC) and actions. */
export const DECLARED_ORIGINS = SOURCE_ORIGINS;
export const DECLARED_ORIGIN = {
  name: 'DeclaredOrigin',
  description: 'The origin that a C2PA manifest declares; a signature is no proof of truth.',
  words: DECLARED_ORIGINS,
} as const satisfies Choice;
export type DeclaredOrigin = SourceOrigin;

export const DECLARATION_KINDS = ['source_type', 'generator', 'camera'] as const;

const declaration = z.strictObject({
  kind: z.enum(DECLARATION_KINDS),
  /** Its place in the file: `XMP DigitalSourceType`, `PNG parameters`, … */
  field: z.string().max(200),
  /** As found, cut to one line. */
  value: z.string().max(200),
  origin: z.enum(DECLARED_ORIGINS),
  /** The row of `DECLARATION_ROWS`; absent in results of versions without that table. */
  name: z.enum(DECLARATION_NAMES).exactOptional(),
});
/** A declaration in unsigned metadata, which anyone can write or strip. */
export type Declaration = z.infer<typeof declaration>;

export const provenanceSchema = z.strictObject({
  /** Null if the file holds no manifest. */
  c2pa: c2paReport.nullable(),
  declaredOrigin: z.enum(DECLARED_ORIGINS).nullable(),
  /** Common name or organisation of the active manifest's signer. */
  signer: text.nullable(),
  /** Address of a remote manifest, which a decode child never fetches. */
  remoteManifestUrl: text.nullable(),
  /** The reader's sentence on a broken manifest store. */
  fault: sentence.nullable(),
  /** The facts of the manifests; absent without a readable one, and in results of versions that did not keep them. */
  store: storeFactsSchema.exactOptional(),
  /** Whether facts were looked for; absent in results of versions that did not. */
  hasReadFacts: z.literal(true).exactOptional(),
  /** The outcome of a manifest outside the file; absent if there is none. */
  outer: outerReadingSchema.exactOptional(),
  /** Set if manifests of the file's format cannot be read; absent in results of versions that did not record it. */
  isFormatUnreadable: z.literal(true).exactOptional(),
  /** Absent if the metadata declare no origin. */
  declarations: z.array(declaration).max(8).optional(),
  /** Other facts in the metadata; absent if these are not read, and in results of versions that did not look. */
  fileFacts: fileFactsSchema.exactOptional(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

export const NO_PROVENANCE: Readonly<Provenance> = Object.freeze({
  c2pa: null,
  declaredOrigin: null,
  signer: null,
  remoteManifestUrl: null,
  fault: null,
});

/** Whether it is a term of the IPTC vocabulary, with or without its address. */
export const isSourceType = (sourceType: string): boolean => findSourceType(sourceType) !== null;

/** The strongest declaration counts: a generated ingredient outweighs the capture around it. */
const STRENGTH: readonly DeclaredOrigin[] = [
  'generated',
  'composite_with_generated',
  'edited',
  'captured',
  'unknown',
];

/** Reads every `digitalSourceType` of every manifest of a report; `unknown` if none is declared. */
export function declaredOriginOf(report: C2paReport): DeclaredOrigin {
  const found = sourceTypesOf(report.manifests).map(originOfSourceType);
  return STRENGTH.find((origin) => found.includes(origin)) ?? 'unknown';
}

/** The declared origin of an IPTC term, with or without its address. */
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

/** Whether a manifest lies within the file, also one that cannot be read. */
export function hasEmbedded({ c2pa, store, fault }: Provenance): boolean {
  return c2pa !== null || store !== undefined || fault !== null;
}

/** Whether the manifest that was read, or could not be, lies outside the file. */
export function restsOnOuter({ outer }: Provenance): boolean {
  return outer?.outcome === 'read' || outer?.outcome === 'unreadable';
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

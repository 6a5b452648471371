/**
 * A file's manifests as a decode child read and stored them: facts without judgement, so that a new rule of reading needs no
 * new look at the file. Names and texts come from the file and are hostile: cut, on one line.
 */

import type { AppliedList } from './trust-list.ts';
import type { CodeKind } from './validation-codes.ts';

export const MANIFEST_SOURCES = ['embedded', 'sidecar', 'remote'] as const;
export type ManifestSource = (typeof MANIFEST_SOURCES)[number];

export const RELATIONSHIPS = ['parent', 'component', 'input'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

export interface StoreFacts {
  source: ManifestSource;
  /** Microseconds since 1970; certificates are judged valid or expired at this time. */
  readAt: number;
  lists: AppliedList[];
  /** Label of the active manifest. */
  active: string;
  manifests: ManifestFacts[];
  /** The number of manifests beyond the bound. */
  leftOut: number;
}

export interface ManifestFacts {
  label: string;
  title: string;
  format: string;
  /** The claim generator: name and version of the program or device, as it calls itself. */
  generator: string;
  codes: CodeFact[];
  /** Null if there is no signature that could be read. */
  signer: SignerFacts | null;
  actions: ActionFacts[];
  /** The device of an EXIF assertion; null without one. */
  device: DeviceFact | null;
  ingredients: IngredientFacts[];
  trainingMining: TrainingMiningFact[];
  identities: IdentityFact[];
}

export interface CodeFact {
  code: string;
  kind: CodeKind;
  /** How often the code occurs. */
  count: number;
  /** Whether it concerns the identity assertion, not the manifest. */
  isAboutIdentity: boolean;
  /** The reader's sentence for the first one; may be empty. */
  explanation: string;
}

export interface SignerFacts {
  /** Common name of the certificate. */
  name: string;
  organisation: string;
  issuer: string;
  /** SHA-256 of the certificate, hex; empty if its chain could not be read. */
  fingerprint: string;
  /** Microseconds since 1970; null if the certificate could not be read. */
  notBefore: number | null;
  notAfter: number | null;
  /** Lists that its chain leads to, or that hold the certificate itself. */
  vouchedBy: Voucher[];
  product: { name: string; assuranceLevel: number | null; mayCapture: boolean } | null;
  timeStamp: TimeStampFacts | null;
}

export interface Voucher {
  list: string;
  /** Common name of the authority, or of the certificate itself. */
  by: string;
}

export interface TimeStampFacts {
  /** The authority's time in microseconds since 1970; null if it could not be read. */
  time: number | null;
  authority: string;
  vouchedBy: Voucher[];
}

export interface ActionFacts {
  /** `c2pa.created`, … or another's own. */
  action: string;
  /** ISO 8601 as declared; empty if none is. */
  when: string;
  /** The program of the action, if it is not the generator. */
  agent: string;
  /** Term of the IPTC vocabulary, with or without its address; empty if none is declared. */
  sourceType: string;
  description: string;
}

/** A device as EXIF in a manifest names it: signed, but by its writer's choice. */
export interface DeviceFact {
  /** Make and model. */
  name: string;
  /** When it took the picture, as declared; may be empty. */
  when: string;
}

export interface IngredientFacts {
  title: string;
  format: string;
  relationship: Relationship;
  /** Label of its manifest; empty if it has none. */
  manifest: string;
  /** JPEG of at most 96 pixels as a data address, drawn anew; empty if there is none or it cannot be decoded. */
  thumbnail: string;
}

export interface TrainingMiningFact {
  /** `ai_training`, `ai_generative_training`, `ai_inference`, `data_mining`, or another's own. */
  use: string;
  /** `allowed`, `notAllowed`, `constrained`, or another declared word. */
  permission: string;
}

/** The person or organisation that a CAWG identity assertion names. */
export interface IdentityFact {
  name: string;
  /** `instagram`, an organisation, … that vouches for it; may be empty. */
  provider: string;
}

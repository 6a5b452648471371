/** Manifests as a decode child read them, hostile and cut, without judgement: a new rule needs no new look at the file. */
import { z } from 'zod';
import type { Choice } from '../field.ts';
import { isTime } from '../time.ts';
import { CODE_KINDS } from './validation-codes.ts';

export const MANIFEST_SOURCES = ['embedded', 'sidecar', 'remote'] as const;
export type ManifestSource = (typeof MANIFEST_SOURCES)[number];
export const MANIFEST_SOURCE = { name: 'ManifestSource', words: MANIFEST_SOURCES } as const satisfies Choice;

export const RELATIONSHIPS = ['parent', 'component', 'input'] as const;
export type Relationship = (typeof RELATIONSHIPS)[number];

/** Bound of names and texts, which the child cuts shorter. */
const short = z.string().max(620);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Microseconds since 1970. */
const time = z.number().refine(isTime, { error: 'expected a moment of the years 1 to 9999' });
const listId = z.string().max(64);
/** `by`: common name of the authority, or of the certificate itself. */
const voucher = z.strictObject({ list: listId, by: short });
const vouchers = z.array(voucher).max(32);

const code = z.strictObject({
  code: short,
  kind: z.enum(CODE_KINDS),
  /** How often the code occurs. */
  count: z.int().min(1),
  /** Whether it concerns the identity assertion, not the manifest. */
  isAboutIdentity: z.boolean(),
  /** The reader's sentence for the first one; may be empty. */
  explanation: short,
});

const signer = z.strictObject({
  /** Common name of the certificate. */
  name: short,
  organisation: short,
  issuer: short,
  /** SHA-256 of the certificate, hex; empty if its chain could not be read. */
  fingerprint: z.union([sha256, z.literal('')]),
  /** Null if the certificate could not be read. */
  notBefore: time.nullable(),
  notAfter: time.nullable(),
  /** Lists that its chain leads to, or that hold the certificate itself. */
  vouchedBy: vouchers,
  product: z
    .strictObject({ name: short, assuranceLevel: z.int().nullable(), mayCapture: z.boolean() })
    .nullable(),
  /** `time`: by the authority; null if it could not be read. */
  timeStamp: z.strictObject({ time: time.nullable(), authority: short, vouchedBy: vouchers }).nullable(),
});

const action = z.strictObject({
  /** `c2pa.created`, … or another's own. */
  action: short,
  /** ISO 8601 as declared; empty if none is. */
  when: short,
  /** The program of the action, if it is not the generator. */
  agent: short,
  /** Term of the IPTC vocabulary, with or without its address; empty if none is declared. */
  sourceType: short,
  description: short,
});

/** A device as EXIF in a manifest names it: signed, but by its writer's choice. `when` may be empty. */
const device = z.strictObject({ name: short, when: short });

const ingredient = z.strictObject({
  title: short,
  format: short,
  relationship: z.enum(RELATIONSHIPS),
  /** Label of its manifest; empty if it has none. */
  manifest: short,
  /** Drawn anew, since it is shown as it is; empty if there is none or it cannot be decoded. */
  thumbnail: z
    .string()
    .max(20_000)
    .regex(/^(data:image\/jpeg;base64,[A-Za-z0-9+/]+=*)?$/),
});

const trainingMining = z.strictObject({ use: short, permission: short });
/** The person or organisation that a CAWG identity assertion names. */
const identity = z.strictObject({ name: short, provider: short });

const manifest = z.strictObject({
  label: short,
  title: short,
  format: short,
  /** The claim generator: name and version of the program or device, as it calls itself. */
  generator: short,
  codes: z.array(code).max(60),
  /** Null if there is no signature that could be read. */
  signer: signer.nullable(),
  actions: z.array(action).max(50),
  /** Null without an EXIF assertion. */
  device: device.nullable(),
  ingredients: z.array(ingredient).max(16),
  trainingMining: z.array(trainingMining).max(16),
  identities: z.array(identity).max(8),
});

export const storeFactsSchema = z.strictObject({
  source: z.enum(MANIFEST_SOURCES),
  /** Certificates are judged valid or expired at this time. */
  readAt: time,
  lists: z.array(z.strictObject({ id: listId, sha256 })).max(32),
  /** Label of the active manifest. */
  active: short,
  manifests: z.array(manifest).max(32),
  /** The number of manifests beyond the bound. */
  leftOut: z.int().min(0),
});

export type StoreFacts = z.infer<typeof storeFactsSchema>;
export type ManifestFacts = z.infer<typeof manifest>;
export type CodeFact = z.infer<typeof code>;
export type SignerFacts = z.infer<typeof signer>;
export type Voucher = z.infer<typeof voucher>;
export type TimeStampFacts = NonNullable<SignerFacts['timeStamp']>;
export type ActionFacts = z.infer<typeof action>;
export type DeviceFact = z.infer<typeof device>;
export type IngredientFacts = z.infer<typeof ingredient>;
export type TrainingMiningFact = z.infer<typeof trainingMining>;
export type IdentityFact = z.infer<typeof identity>;

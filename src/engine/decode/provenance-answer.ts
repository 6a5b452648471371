/** How what a decode child says of a file's origin is judged. The values of the manifests in it are whatever the file held. */
import { z } from 'zod';
import { MANIFEST_SOURCES, RELATIONSHIPS, type StoreFacts } from '../../domain/provenance/manifest-facts.ts';
import { TRUST_LIST_KINDS, type TrustMaterial } from '../../domain/provenance/trust-list.ts';
import { CODE_KINDS } from '../../domain/provenance/validation-codes.ts';
import { DECLARATION_KINDS, DECLARED_ORIGINS } from '../../domain/verdicts/provenance.ts';

const text = z.string().max(4000);
/** The label of a manifest; the whole report is at most 1 MB. */
const label = z.string().max(1024 * 1024);
const sentence = z.string().max(2000);
/** As the child cuts names and texts. */
const short = z.string().max(620);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.int();

const c2paReport = z.strictObject({
  manifests: z.record(z.string(), z.unknown()),
  active_manifest: label,
  validation_state: text,
  validation_status: z.array(z.strictObject({ url: text, code: text, explanation: text })).max(50_000),
  validation_results: z.strictObject({
    activeManifest: z.strictObject({
      failure: z.array(z.unknown()),
      success: z.array(z.unknown()),
      informational: z.array(z.unknown()),
    }),
    ingredientDeltas: z.array(z.unknown()),
  }),
});

const listId = z.string().max(64);
const vouchers = z.array(z.strictObject({ list: listId, by: short })).max(32);

const signer = z.strictObject({
  ...{ name: short, organisation: short, issuer: short },
  fingerprint: z.union([sha256, z.literal('')]),
  notBefore: time.nullable(),
  notAfter: time.nullable(),
  vouchedBy: vouchers,
  product: z
    .strictObject({ name: short, assuranceLevel: z.int().nullable(), mayCapture: z.boolean() })
    .nullable(),
  timeStamp: z.strictObject({ time: time.nullable(), authority: short, vouchedBy: vouchers }).nullable(),
});

const manifest = z.strictObject({
  ...{ label: short, title: short, format: short, generator: short },
  codes: z
    .array(
      z.strictObject({
        ...{ code: short, kind: z.enum(CODE_KINDS), count: z.int().min(1) },
        ...{ isAboutIdentity: z.boolean(), explanation: short },
      }),
    )
    .max(60),
  signer: signer.nullable(),
  actions: z
    .array(
      z.strictObject({ action: short, when: short, agent: short, sourceType: short, description: short }),
    )
    .max(50),
  device: z.strictObject({ name: short, when: short }).nullable(),
  ingredients: z
    .array(
      z.strictObject({
        ...{ title: short, format: short, relationship: z.enum(RELATIONSHIPS), manifest: short },
        // Shown as it is: nothing but a picture that was drawn anew.
        thumbnail: z
          .string()
          .max(20_000)
          .regex(/^(data:image\/jpeg;base64,[A-Za-z0-9+/]+=*)?$/),
      }),
    )
    .max(16),
  trainingMining: z.array(z.strictObject({ use: short, permission: short })).max(16),
  identities: z.array(z.strictObject({ name: short, provider: short })).max(8),
});

const store = z.strictObject({
  source: z.enum(MANIFEST_SOURCES),
  readAt: time,
  lists: z.array(z.strictObject({ id: listId, sha256 })).max(32),
  active: short,
  manifests: z.array(manifest).max(32),
  leftOut: z.int().min(0),
}) satisfies z.ZodType<StoreFacts>;

export const provenance = z.strictObject({
  c2pa: c2paReport.nullable(),
  declaredOrigin: z.enum(DECLARED_ORIGINS).nullable(),
  signer: text.nullable(),
  remoteManifestUrl: text.nullable(),
  fault: sentence.nullable(),
  store: store.optional(),
  hasReadFacts: z.literal(true).optional(),
  declarations: z
    .array(
      z.strictObject({
        kind: z.enum(DECLARATION_KINDS),
        field: z.string().max(200),
        value: z.string().max(200),
        origin: z.enum(DECLARED_ORIGINS),
      }),
    )
    .max(8)
    .optional(),
});

/** As a daemon sends it to its workers. */
export const trustMaterial = z.strictObject({
  lists: z
    .array(
      z.strictObject({
        ...{ id: listId, sha256, kind: z.enum(TRUST_LIST_KINDS) },
        authorities: z.array(z.string().max(20_000)).max(1000),
        single: z.array(sha256).max(1000),
        products: z
          .array(
            z.strictObject({
              ...{ commonName: short, organisation: short, unit: short },
              ...{ assuranceLevel: z.int().nullable(), mayCapture: z.boolean() },
            }),
          )
          .max(5000),
      }),
    )
    .max(32),
  uses: z.array(z.string().max(100)).max(100),
}) satisfies z.ZodType<TrustMaterial>;

/** The shape of a decode child's reading of a file's manifests, from any source. The values come from the file. */
import { z } from 'zod';
import { isTime } from '../time.ts';
import { MANIFEST_SOURCES, RELATIONSHIPS, type StoreFacts } from './manifest-facts.ts';
import { CODE_KINDS } from './validation-codes.ts';

/** Bound of names and texts, which the child cuts shorter. */
const short = z.string().max(620);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.number().refine(isTime, { error: 'expected a moment of the years 1 to 9999' });
const listId = z.string().max(64);
const vouchers = z.array(z.strictObject({ list: listId, by: short })).max(32);

const signer = z.strictObject({
  name: short,
  organisation: short,
  issuer: short,
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
  label: short,
  title: short,
  format: short,
  generator: short,
  codes: z
    .array(
      z.strictObject({
        code: short,
        kind: z.enum(CODE_KINDS),
        count: z.int().min(1),
        isAboutIdentity: z.boolean(),
        explanation: short,
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
        title: short,
        format: short,
        relationship: z.enum(RELATIONSHIPS),
        manifest: short,
        // Shown as it is, so only a picture that was drawn anew is accepted.
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

export const storeFactsSchema = z.strictObject({
  source: z.enum(MANIFEST_SOURCES),
  readAt: time,
  lists: z.array(z.strictObject({ id: listId, sha256 })).max(32),
  active: short,
  manifests: z.array(manifest).max(32),
  leftOut: z.int().min(0),
}) satisfies z.ZodType<StoreFacts>;

/** The shape of the trust lists that a daemon sends to its workers. */
import { z } from 'zod';
import { TRUST_LIST_KINDS, type TrustMaterial } from '../../domain/provenance/trust-list.ts';

const short = z.string().max(620);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const trustMaterial = z.strictObject({
  lists: z
    .array(
      z.strictObject({
        id: z.string().max(64),
        sha256,
        kind: z.enum(TRUST_LIST_KINDS),
        authorities: z.array(z.string().max(20_000)).max(1000),
        single: z.array(sha256).max(1000),
        products: z
          .array(
            z.strictObject({
              commonName: short,
              organisation: short,
              unit: short,
              assuranceLevel: z.int().nullable(),
              mayCapture: z.boolean(),
            }),
          )
          .max(5000),
      }),
    )
    .max(32),
  uses: z.array(z.string().max(100)).max(100),
}) satisfies z.ZodType<TrustMaterial>;

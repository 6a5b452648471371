/** The outcome of reading a manifest outside its file, as it is stored with a result. */
import { z } from 'zod';
import { MANIFEST_SOURCES } from './manifest-facts.ts';

/** `embedded_speaks`: the file has a manifest of its own, which counts instead (C2PA 2.4, 15.5). */
export const OUTER_OUTCOMES = [
  ...(['read', 'unreadable', 'embedded_speaks', 'format_not_readable'] as const),
  ...(['host_not_allowed', 'not_fetched', 'no_manifest'] as const),
] as const;
export type OuterOutcome = (typeof OUTER_OUTCOMES)[number];

export const outerReadingSchema = z.strictObject({
  source: z.enum(MANIFEST_SOURCES),
  outcome: z.enum(OUTER_OUTCOMES),
  /** Host and port of its address; empty for one beside the file. */
  host: z.string().max(1000),
  /** SHA-256 of the manifest, hex; empty if there is none. */
  sha256: z.string().max(64),
  /** Why it was not fetched; empty otherwise. */
  reason: z.string().max(1000),
});
export type OuterReading = z.infer<typeof outerReadingSchema>;

/** Packs that transcribe speech. Their large files lie in an npm package, named with SHA-256s; only Assay's own may. */
import { z } from 'zod';
import { aboutPack } from './pack-parts.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const packagePath = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*(\/[A-Za-z0-9][A-Za-z0-9_-]*)*$/, 'a folder inside the package');
const packageFile = z.strictObject({ file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/), sha256 });

export const transcriptionPackSchema = z.strictObject({
  ...aboutPack,
  task: z.literal('transcription'),
  mediaKind: z.literal('audio'),
  package: z
    .strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      models: packagePath.describe('Where the encoder (file) and the decoder lie.'),
      texts: packagePath.describe('Where the words lie.'),
      isOptional: z.boolean().describe('If it is not installed, nothing is said; else it is a fault.'),
    })
    .describe('The npm package that holds the files.'),
  decoder: packageFile,
  vocabulary: packageFile,
  specialTokens: packageFile,
  generation: packageFile,
  preference: z.int().min(0).max(100).describe('The highest of several packs is used.'),
  input: z.strictObject({ name: z.string(), layout: z.literal('log-mel'), sampleRate: z.literal(16_000) }),
  view: z.strictObject({
    type: z.literal('transcript'),
    heads: z.int().min(1).max(64).describe('Heads of the decoder’s attention.'),
    headSize: z.int().min(1).max(256),
  }),
  output: z.strictObject({ name: z.string(), type: z.literal('text') }),
  languages: z.int().min(1).describe('How many it knows.'),
});

/** Transcribes speech; judges nothing. */
export type TranscriptionPack = z.infer<typeof transcriptionPackSchema>;

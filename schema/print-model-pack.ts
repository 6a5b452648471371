/** Prints the model pack's JSON Schema from the code: `node schema/print-model-pack.ts` writes schema/model-pack.schema.json. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { modelPackSchema } from '../src/domain/packs/model-pack.ts';

export const MODEL_PACK_SCHEMA_PATH = join(import.meta.dirname, 'model-pack.schema.json');

export function printModelPackSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(modelPackSchema), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(MODEL_PACK_SCHEMA_PATH, printModelPackSchema());

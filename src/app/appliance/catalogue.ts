/**
 * Open models of others that an operator can add: what is known of each, from `models/catalogue` of the program and
 * `catalogue` of the data folder. Nothing of it is fetched before the operator says so.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, badField } from '../../domain/errors.ts';
import { type ModelPack, modelPackSchema } from '../../domain/packs/model-pack.ts';
import { weightOf } from '../../domain/packs/pack-weight.ts';
import { describeFault } from '../../domain/packs/schema-fault.ts';
import { PROGRAM_FOLDER } from '../../machinery/program-folder.ts';
import { assertAdmin } from '../callers/authority.ts';
import type { Principal } from '../callers/principal.ts';
import type { ApplianceParts } from './parts.ts';

const PROGRAM_CATALOGUE = join(PROGRAM_FOLDER, 'models', 'catalogue');
const NAME = /^[a-z0-9][a-z0-9-]{1,63}$/;
/** Replaced by what the model gives at its first run: its makers publish no outputs for our inputs. */
const GOLDEN_PLACEHOLDER = [0, 0, 0];

const entrySchema = z.strictObject({
  schema: z.literal(1),
  name: z.string().regex(NAME),
  title: z.string().min(1),
  homepage: z.url(),
  address: z.url({ protocol: /^https$/ }).describe('Where the model file is, by https.'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytesMax: z.int().min(1).describe('A larger answer is cut off.'),
  downloadSecondsMax: z.int().min(1),
  card: z.array(z.string()),
  /** A model.json without what the entry states already, and without its golden outputs. */
  pack: z.record(z.string(), z.unknown()),
});

export type CatalogueEntry = z.infer<typeof entrySchema>;

export interface CatalogueListing {
  name: string;
  title: string;
  homepage: string;
  address: string;
  sha256: string;
  bytesMax: number;
  licence: string;
  installed: boolean;
}

/** For the administrator. */
export async function listCatalogue(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<CatalogueListing[]> {
  assertAdmin(principal);
  const entries = await readCatalogue(app);
  return entries.map((entry) => {
    const { name, title, homepage, address, sha256, bytesMax } = entry;
    const { id, licence } = describePack(entry);
    const installed = app.engine.installed.some(({ pack }) => pack.id === id);
    return { name, title, homepage, address, sha256, bytesMax, licence, installed };
  });
}

/** Throws AppError `bad_field` for a name that the catalogue does not hold. */
export async function findEntry(app: ApplianceParts, name: string): Promise<CatalogueEntry> {
  const entries = await readCatalogue(app);
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const names = entries.map((entry) => entry.name).join(', ');
  throw badField('catalogue_name', `expected one of the catalogue (${names}), found ${JSON.stringify(name)}`);
}

/** The operator's own entries win over those of the program. */
async function readCatalogue({ store }: ApplianceParts): Promise<CatalogueEntry[]> {
  const entries = new Map<string, CatalogueEntry>();
  for (const folder of [PROGRAM_CATALOGUE, join(store.folder, 'catalogue')]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
      const entry = parseEntry(join(folder, name), await readFile(join(folder, name), 'utf8'));
      entries.set(entry.name, entry);
    }
  }
  return [...entries.values()];
}

function parseEntry(path: string, text: string): CatalogueEntry {
  try {
    const entry = entrySchema.parse(JSON.parse(text));
    describePack(entry);
    return entry;
  } catch (error) {
    const fault = error instanceof z.ZodError ? describeFault(error) : 'no JSON';
    throw new AppError('bad_model', `${path}: ${fault}`, { cause: error });
  }
}

/** The whole model.json, but for the golden outputs. */
export function describePack({ name, sha256, homepage, pack }: CatalogueEntry): ModelPack {
  const { golden, decision } = pack as { golden?: object; decision?: object };
  return modelPackSchema.parse({
    ...pack,
    ...{ schema: 1, id: name, sha256, source: homepage },
    golden: { ...golden, expected: GOLDEN_PLACEHOLDER },
    decision: { ...decision, weight: weightOf(statedAccuracies(pack)) },
  });
}

/** Balanced accuracies by tier, as its makers state them; a pack without any weighs next to nothing. */
function statedAccuracies({ statedFigures }: CatalogueEntry['pack']): number[] {
  const { tiers = [] } = (statedFigures ?? {}) as { tiers?: { balancedAccuracy: number }[] };
  return tiers.map(({ balancedAccuracy }) => balancedAccuracy);
}

export function describeCard({ title, homepage, address, sha256, card }: CatalogueEntry): string {
  return [
    `# ${title}`,
    '',
    `From ${homepage}. File: ${address}, SHA-256 \`${sha256}\`.`,
    '',
    ...card,
    '',
  ].join('\n');
}

/** Open models that an operator can add, from the program's and the data folder's catalogue; nothing is fetched unasked. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CatalogueListing } from '../../domain/contract/appliance.ts';
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
/** A newsroom earns money, so these licences forbid its use. */
const NON_COMMERCIAL = /\bNC\b|non-?commercial/i;
/** Replaced by the model's outputs at its first run: its makers publish none for our inputs. */
const GOLDEN_PLACEHOLDER = [0, 0, 0];

const entrySchema = z.strictObject({
  schema: z.literal(1),
  name: z.string().regex(NAME),
  title: z.string().min(1),
  homepage: z.url(),
  address: z.url({ protocol: /^https$/ }).describe('Where the model file is, by https.'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytesMax: z.int().min(1).describe('A larger answer is cut off.'),
  sizeBytes: z.int().min(1).optional().describe('Size of the file, if it is known.'),
  licenceAccept: z
    .string()
    .min(1)
    .optional()
    .describe('A licence that forbids something, such as commercial use: who adds the model must name it.'),
  measured: z
    .array(z.string().min(1))
    .default([])
    .describe('Who measured what, on which media: a sentence each.'),
  downloadSecondsMax: z.int().min(1),
  card: z.array(z.string()),
  /** A model.json without the entry's own fields and without golden outputs. */
  pack: z.record(z.string(), z.unknown()),
});

export type CatalogueEntry = z.infer<typeof entrySchema>;

/** For the administrator. */
export async function listCatalogue(
  app: ApplianceParts,
  { principal }: { principal: Principal },
): Promise<CatalogueListing[]> {
  assertAdmin(principal);
  const entries = await readCatalogue(app);
  return entries.map((entry) => {
    const { name, title, homepage, address, sha256, bytesMax, measured } = entry;
    const { sizeBytes = 0, licenceAccept = '' } = entry;
    const { id, licence, task, family = '' } = describePack(entry);
    const installed = app.shelf.installed.some(({ pack }) => pack.id === id);
    const about = { name, title, homepage, address, sha256, bytesMax, sizeBytes };
    return { ...about, licence, licenceAccept, task, family, measured, installed };
  });
}

/** Throws AppError `bad_field` for a name outside the catalogue. */
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
    const { licence } = describePack(entry);
    if (NON_COMMERCIAL.test(licence) && entry.licenceAccept === undefined)
      throw new AppError(
        'bad_model',
        `${path}: licenceAccept: expected the name of its non-commercial licence`,
      );
    return entry;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const fault = error instanceof z.ZodError ? describeFault(error) : 'no JSON';
    throw new AppError('bad_model', `${path}: ${fault}`, { cause: error });
  }
}

/** The whole model.json, but for the golden outputs. */
export function describePack({ name, sha256, homepage, pack }: CatalogueEntry): ModelPack {
  const { golden, decision } = pack as { golden?: object; decision?: object };
  return modelPackSchema.parse({
    ...pack,
    schema: 1,
    id: name,
    sha256,
    source: homepage,
    golden: { ...golden, expected: GOLDEN_PLACEHOLDER },
    decision: { ...decision, weight: statedWeight(pack) },
  });
}

/** Balanced accuracies by tier, as its makers state them; a pack without any gets the least weight. */
function statedWeight({ statedFigures }: CatalogueEntry['pack']): number {
  const { tiers = [], seen = false } = (statedFigures ?? {}) as {
    tiers?: { balancedAccuracy: number }[];
    seen?: boolean;
  };
  return weightOf(
    tiers.map(({ balancedAccuracy }) => balancedAccuracy),
    { seen },
  );
}

/** Throws if the entry's licence must be accepted by name and was not. */
export function assertLicenceAccepted(
  { name, licenceAccept, homepage }: CatalogueEntry,
  accepted: string,
): void {
  if (licenceAccept === undefined || accepted === licenceAccept) return;
  const found = accepted === '' ? 'nothing' : JSON.stringify(accepted);
  throw badField(
    'accept_licence',
    `${name} is licensed under ${licenceAccept}, which forbids some uses; read it at ${homepage} and name it; found ${found}`,
  );
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

/** Models to add: a pack as a folder, and an entry of the catalogue whose model is made on the spot. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tinyModelBytes } from './tiny-model.ts';

const PROGRAM_ENTRY = join(import.meta.dirname, '../../models/catalogue/sieve.json');
const VIEW_SIDE = 384;

export interface MadeEntry {
  /** The model that the entry describes. */
  model: Uint8Array;
  sha256: string;
}

/** The program's entry for Sieve under another name, with a small model of the same inputs and outputs. */
export async function writeEntry(
  dataFolder: string,
  { licenceAccept, ...named }: { name: string; address: string; licenceAccept?: string },
): Promise<MadeEntry> {
  // The logit is the mean of the normalised picture: bright is artificial.
  const model = tinyModelBytes(VIEW_SIDE, { gain: 4 });
  const sha256 = createHash('sha256').update(model).digest('hex');
  const entry = { ...JSON.parse(await readFile(PROGRAM_ENTRY, 'utf8')), ...named, sha256 };
  if (licenceAccept !== undefined) Object.assign(entry, { licenceAccept });
  await mkdir(join(dataFolder, 'catalogue'), { recursive: true });
  await writeFile(join(dataFolder, 'catalogue', `${named.name}.json`), JSON.stringify(entry));
  return { model, sha256 };
}

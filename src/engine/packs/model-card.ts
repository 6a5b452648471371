import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/error-code.ts';
import { AppError } from '../../domain/errors.ts';
import type { InstalledPack } from './installed-packs.ts';

const CARD_FILE = 'CARD.md';
/** No one reads more; the rest of a longer one stays in its folder. */
const CARD_CHARACTERS_MAX = 100_000;

/** Markdown, as the pack brings it. Throws `model` if there is no such model or it has no card. */
export async function readModelCard(packs: readonly InstalledPack[], id: string): Promise<string> {
  const installed = packs.find(({ pack }) => pack.id === id);
  if (installed === undefined) throw new AppError('model', `no model ${id} is installed`);
  try {
    return (await readFile(join(installed.folder, CARD_FILE), 'utf8')).slice(0, CARD_CHARACTERS_MAX);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new AppError('model', `the model ${id} has no card`);
  }
}

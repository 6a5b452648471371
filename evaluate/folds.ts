/**
 * Packs of the folds: each was trained without the sources of its fold, so that media of sources that training knows can
 * be measured at all. `folds.tsv` (label, source, fold) says which packs have not seen a source, and `fold-N/` holds them.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderError, LABELS, type LabelledFile, type LabelName } from './labelled-folder.ts';
import { describePack, type PackFolder, readPackFolders } from './pack-identity.ts';

export interface Fold {
  name: string;
  /** These packs were trained without the sources of this fold. */
  packs: readonly PackFolder[];
}

export interface LeftOutSource {
  label: LabelName;
  source: string;
  files: number;
}

export interface RoutedFiles {
  /** In the order of the folds; folds without a file are left out. */
  rounds: { fold: Fold; files: LabelledFile[] }[];
  /** Sources that are in no fold: every pack may have seen them. */
  leftOut: LeftOutSource[];
}

const INDEX = 'folds.tsv';
const FOLDER_NAME = /^fold-(\d+)$/;

export class Folds {
  readonly folds: readonly Fold[];
  readonly #foldOf: ReadonlyMap<string, string>;

  private constructor(folds: readonly Fold[], foldOf: ReadonlyMap<string, string>) {
    this.folds = folds;
    this.#foldOf = foldOf;
  }

  /** Throws a FolderError, a sentence, if the folder cannot say which packs have not seen what. */
  static async read(folder: string): Promise<Folds> {
    const index = join(folder, INDEX);
    if (!existsSync(index))
      throw new FolderError(`${folder}: expected ${INDEX} and fold-N/, found no ${INDEX}`);
    const foldOf = parseIndex(await readFile(index, 'utf8'));
    const folds = await readFolds(folder);
    assertSamePacks(folds);
    const names = new Set(folds.map(({ name }) => name));
    const missing = [...new Set(foldOf.values())].filter((name) => !names.has(name));
    if (missing.length > 0) {
      throw new FolderError(
        `${INDEX}: names fold ${missing.join(', ')}; expected a folder fold-N of each in ${folder}`,
      );
    }
    return new Folds(folds, foldOf);
  }

  get tasks(): ReadonlySet<string> {
    return new Set(this.folds.flatMap(({ packs }) => packs.map(({ task }) => task)));
  }

  route(files: readonly LabelledFile[]): RoutedFiles {
    const byFold = Map.groupBy(files, ({ label, source }) => this.#foldOf.get(keyOf(label, source)) ?? null);
    const rounds = this.folds.flatMap((fold) => {
      const own = byFold.get(fold.name);
      return own === undefined ? [] : [{ fold, files: own }];
    });
    const bySource = Map.groupBy(byFold.get(null) ?? [], ({ label, source }) => keyOf(label, source));
    const leftOut = [...bySource.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ label: first.label, source: first.source, files: 1 + others.length }],
    );
    return { rounds, leftOut };
  }

  /** Identifies the evaluation in its journal: other packs, or the same ones for other sources, are another evaluation. */
  describe(): string {
    const routes = [...this.#foldOf].map(([key, fold]) => `${key}\t${fold}`).sort();
    const packs = this.folds.map(({ name, packs }) => `fold-${name}: ${packs.map(describePack).join(' ')}`);
    return `${packs.join(', ')}; routes ${createHash('sha256').update(routes.join('\n')).digest('hex')}`;
  }
}

function keyOf(label: string, source: string): string {
  return `${label}\t${source}`;
}

function parseIndex(text: string): Map<string, string> {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const columns = head.split('\t');
  for (const needed of ['label', 'source', 'fold']) {
    if (!columns.includes(needed))
      throw new FolderError(`${INDEX}: expected a column ${needed}, found ${columns}`);
  }
  const foldOf = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [label, source, fold] = [cell('label'), cell('source'), cell('fold')];
    const where = `${INDEX} line ${index + 2}`;
    if (!LABELS.some((known) => known === label)) {
      throw new FolderError(
        `${where}: label: expected ${LABELS.join(' or ')}, found ${JSON.stringify(label)}`,
      );
    }
    if (source === '') throw new FolderError(`${where}: source: expected a name, found nothing`);
    if (!/^\d+$/.test(fold)) {
      throw new FolderError(`${where}: fold: expected a whole number, found ${JSON.stringify(fold)}`);
    }
    const before = foldOf.get(keyOf(label, source));
    if (before !== undefined && before !== fold) {
      throw new FolderError(`${where}: fold: ${label}/${source} is in fold ${before} already, found ${fold}`);
    }
    foldOf.set(keyOf(label, source), fold);
  }
  return foldOf;
}

async function readFolds(folder: string): Promise<Fold[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) =>
    entry.isDirectory() ? (FOLDER_NAME.exec(entry.name)?.[1] ?? []) : [],
  );
  if (names.length === 0) throw new FolderError(`${folder}: expected folders fold-N with packs, found none`);
  const sorted = names.toSorted((a, b) => Number(a) - Number(b));
  return await Promise.all(
    sorted.map(async (name) => {
      const packs = await readPackFolders(join(folder, `fold-${name}`));
      if (packs.length > 0) return { name, packs };
      throw new FolderError(`${folder}/fold-${name}: expected folders of packs, found none`);
    }),
  );
}

/** A fold that lacks a pack would be measured with less than what is to be shipped. */
function assertSamePacks(folds: readonly Fold[]): void {
  const idsOf = ({ packs }: Fold) => packs.map(({ id }) => id).join(', ');
  const [first, ...others] = folds;
  const different = others.find((fold) => first !== undefined && idsOf(fold) !== idsOf(first));
  if (first === undefined || different === undefined) return;
  throw new FolderError(
    `fold-${different.name}: expected the packs of fold-${first.name} (${idsOf(first)}), found ${idsOf(different)}`,
  );
}

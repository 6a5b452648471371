/**
 * The folder that is evaluated: `files.tsv` where there is one, else `human/` and `artificial/` with one sub-folder per
 * source. A source is one generator, one camera, one recording chain: figures are weighed and drawn by it.
 */
import { existsSync } from 'node:fs';
import { opendir, readFile } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { MEDIA_TYPES } from '../src/domain/media.ts';

export const LABELS = ['human', 'artificial'] as const;
export type LabelName = (typeof LABELS)[number];

export interface LabelledFile {
  /** Below the folder, with forward slashes. */
  path: string;
  label: LabelName;
  source: string;
  /** Kind of picture or family of generators; empty where the folder does not tell. */
  kind: string;
  /** Long side of the picture that a crop was cut from, pixels; null for a whole picture. */
  originalLongSide: number | null;
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  MEDIA_TYPES.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`)),
);

/** In stable order. Throws a sentence where the folder is not labelled. */
export async function readLabelledFolder(folder: string): Promise<LabelledFile[]> {
  const index = join(folder, 'files.tsv');
  const files = existsSync(index) ? parseIndex(await readFile(index, 'utf8')) : await listFolders(folder);
  for (const label of LABELS) {
    if (!files.some((file) => file.label === label)) {
      throw new Error(`${folder}: expected files in ${LABELS.join('/ and ')}/, found none labelled ${label}`);
    }
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function parseIndex(text: string): LabelledFile[] {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const columns = head.split('\t');
  for (const needed of ['label', 'file']) {
    if (!columns.includes(needed))
      throw new Error(`files.tsv: expected a column ${needed}, found ${columns}`);
  }
  return lines.map((line, index) => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [label, path] = [LABELS.find((known) => known === cell('label')), cell('file')];
    const where = `files.tsv line ${index + 2}`;
    if (label === undefined)
      throw new Error(`${where}: label: expected human or artificial, found ${cells[0]}`);
    if (path === '' || path.startsWith('/') || path.split('/').includes('..')) {
      throw new Error(`${where}: file: expected a path inside the folder, found ${JSON.stringify(path)}`);
    }
    const source = cell('source') || sourceOf(path);
    const originalLongSide = longSideOf(cell('original_size'));
    return { path, label, source, kind: cell('kind') || cell('family'), originalLongSide };
  });
}

function longSideOf(size: string): number | null {
  const sides = /^(\d+)x(\d+)$/.exec(size);
  return sides === null ? null : Math.max(Number(sides[1]), Number(sides[2]));
}

/** The sub-folder, or what stands before the number in the file's name. */
function sourceOf(path: string): string {
  const segments = path.split('/');
  if (segments.length > 2 && segments[1] !== undefined) return segments[1];
  const name = basename(path, extname(path));
  return name.replace(/[-_ ]?\d+$/, '') || name;
}

async function listFolders(folder: string): Promise<LabelledFile[]> {
  const files: LabelledFile[] = [];
  for (const label of LABELS) {
    if (!existsSync(join(folder, label))) continue;
    for await (const entry of await opendir(join(folder, label), { recursive: true })) {
      if (!entry.isFile() || !EXTENSIONS.has(extname(entry.name).toLowerCase())) continue;
      const path = join(entry.parentPath, entry.name)
        .slice(folder.length)
        .split(sep)
        .filter(Boolean)
        .join('/');
      files.push({ path, label, source: sourceOf(path), kind: '', originalLongSide: null });
    }
  }
  return files;
}

/** About `countMax` files, half of each label, from as many sources as there are: one of each, then a second of each. */
export function spreadOverSources(files: readonly LabelledFile[], countMax: number): LabelledFile[] {
  const perLabel = LABELS.map((label) => {
    const own = files.filter((file) => file.label === label);
    const groups = [...Map.groupBy(own, ({ source }) => source).values()];
    const rounds = Math.max(0, ...groups.map((group) => group.length));
    const inRounds = Array.from({ length: rounds }, (_, round) =>
      groups.flatMap((group) => group[round] ?? []),
    );
    return takeRounds(inRounds, Math.max(1, Math.ceil(countMax / 2)));
  });
  return perLabel.flat();
}

/** A round that is cut short is cut evenly, not after the first names of the alphabet. */
function takeRounds(rounds: readonly (readonly LabelledFile[])[], count: number): LabelledFile[] {
  const taken: LabelledFile[] = [];
  for (const round of rounds) {
    const wanted = Math.min(round.length, count - taken.length);
    for (let index = 0; index < wanted; index++) {
      const file = round[Math.floor((index * round.length) / wanted)];
      if (file !== undefined) taken.push(file);
    }
  }
  return taken;
}

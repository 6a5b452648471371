/**
 * The folder that is evaluated: `files.tsv` if there is one, else a folder per label with one sub-folder per source. A source is one generator, one camera, one recording chain: figures are weighed and drawn by it.
 */
import { existsSync } from 'node:fs';
import { opendir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { MEDIA_TYPES } from '../src/domain/media/formats.ts';
import { isMaskBeside } from './edit-masks.ts';
import type { Task } from './task.ts';

export const LABELS = ['human', 'artificial'] as const;
export type LabelName = (typeof LABELS)[number];

/** What the two labels are called in folders and in `files.tsv`; the first is the one that is asked for. */
const NAMES: Readonly<Record<Task, Readonly<Record<LabelName, readonly [string, ...string[]]>>>> = {
  origin: { human: ['human'], artificial: ['artificial'] },
  faces: { human: ['human'], artificial: ['artificial', 'swapped'] },
  tampering: { human: ['human', 'authentic'], artificial: ['edited', 'tampered'] },
};

export class FolderError extends Error {
  override readonly name = 'FolderError';
}

export interface LabelledFile {
  /** Path below the folder, with forward slashes. */
  path: string;
  label: LabelName;
  source: string;
  /** Kind of picture or family of generators; empty if the folder does not say. */
  kind: string;
  /** Long side of the picture that a crop was cut from, pixels; null for a whole picture. */
  originalLongSide: number | null;
  /** Frame rate of a video; null if the index has none. */
  framesPerSecond: number | null;
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  MEDIA_TYPES.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`)),
);

export interface FolderRule {
  task: Task;
  /** A source is what stands before the first hyphen of a name, if nothing else names it. */
  hasPrefixes: boolean;
}

const ORIGIN_RULE: FolderRule = { task: 'origin', hasPrefixes: false };

/** In stable order. Throws a FolderError, a sentence, if the folder is not labelled. */
export async function readLabelledFolder(folder: string, rule = ORIGIN_RULE): Promise<LabelledFile[]> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new FolderError(`${folder}: expected a folder, found none`);
  const index = join(folder, 'files.tsv');
  const files = existsSync(index)
    ? parseIndex(folder, await readFile(index, 'utf8'), rule)
    : await listFolders(folder, rule);
  for (const label of LABELS) {
    if (files.some((file) => file.label === label)) continue;
    const expected = LABELS.map((known) => `${NAMES[rule.task][known].join('/ or ')}/`).join(' and ');
    const inside = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const folders = inside.map(({ name }) => `${name}/`).sort();
    const missing = NAMES[rule.task][label][0];
    throw new FolderError(
      `${folder}: expected media in ${expected}, found none that is ${missing}; its folders: ${folders.join(', ') || 'none'}`,
    );
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function labelOf(name: string, task: Task): LabelName | undefined {
  return LABELS.find((label) => NAMES[task][label].includes(name));
}

function parseIndex(folder: string, text: string, rule: FolderRule): LabelledFile[] {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const columns = head.split('\t');
  for (const needed of ['label', 'file']) {
    if (!columns.includes(needed))
      throw new FolderError(`files.tsv: expected a column ${needed}, found ${columns}`);
  }
  return lines.map((line, index) => {
    const cells = line.split('\t');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [label, file] = [labelOf(cell('label'), rule.task), cell('file')];
    const where = `files.tsv line ${index + 2}`;
    if (label === undefined) {
      const known = LABELS.map((name) => NAMES[rule.task][name].join(' or ')).join(' or ');
      throw new FolderError(`${where}: label: expected ${known}, found ${cell('label')}`);
    }
    if (file === '' || file.startsWith('/') || file.split('/').includes('..')) {
      throw new FolderError(
        `${where}: file: expected a path inside the folder, found ${JSON.stringify(file)}`,
      );
    }
    const path = findListed(folder, file, cell('label'));
    if (path === null)
      throw new FolderError(`${where}: file: expected a file of ${folder}, found no ${file}`);
    const source = cell('source') || sourceOf(path, rule);
    const originalLongSide = longSideOf(cell('original_size'));
    const framesPerSecond = Number(cell('fps')) || null;
    return { path, label, source, kind: cell('kind') || cell('family'), originalLongSide, framesPerSecond };
  });
}

/** Some lists name their files below the folder of the label, or with a scheme before the path. */
function findListed(folder: string, file: string, label: string): string | null {
  const places = [file, `${label}/${file}`, file.replace(/^[\w-]+:/, '')];
  return places.find((place) => existsSync(join(folder, place))) ?? null;
}

function longSideOf(size: string): number | null {
  const sides = /^(\d+)x(\d+)$/.exec(size);
  return sides === null ? null : Math.max(Number(sides[1]), Number(sides[2]));
}

/** The sub-folder, or what stands before the number (or the first hyphen) in the file's name. */
function sourceOf(path: string, { hasPrefixes }: FolderRule): string {
  const segments = path.split('/');
  if (segments.length > 2 && segments[1] !== undefined) return segments[1];
  const name = basename(path, extname(path));
  return (hasPrefixes ? name.split('-')[0] : name.replace(/[-_ ]?\d+$/, '')) || name;
}

async function listFolders(folder: string, rule: FolderRule): Promise<LabelledFile[]> {
  const places = LABELS.flatMap((label) => NAMES[rule.task][label].map((name) => ({ label, name })));
  const files: LabelledFile[] = [];
  for (const { label, name } of places.filter((place) => existsSync(join(folder, place.name)))) {
    for await (const entry of await opendir(join(folder, name), { recursive: true })) {
      if (!entry.isFile() || !EXTENSIONS.has(extname(entry.name).toLowerCase())) continue;
      if (rule.task === 'tampering' && isMaskBeside(entry.name)) continue;
      const path = join(entry.parentPath, entry.name)
        .slice(folder.length)
        .split(sep)
        .filter(Boolean)
        .join('/');
      files.push({
        path,
        label,
        source: sourceOf(path, rule),
        kind: '',
        originalLongSide: null,
        framesPerSecond: null,
      });
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

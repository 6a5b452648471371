/** False alarms by kind of human media, misses by family of generators: a mean over all hides whom it fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Estimate, estimateShare } from './estimate.ts';
import { isCalled, type Scored, toScored } from './figures.ts';
import { FolderError, LABELS, type LabelName } from './labelled-folder.ts';
import type { Measurement } from './measurement.ts';

/** Groups with fewer files are joined. */
export const GROUP_FILES_MIN = 15;
const OTHERS = 'others';
const DEFAULT_FILE = join(import.meta.dirname, 'groups.tsv');

export interface GroupReport {
  label: LabelName;
  group: string;
  /** Names of the groups that are joined in this row; empty for a group of its own. */
  joined: string[];
  /** Files without an answer are among them; they count as called human. */
  files: number;
  sources: number;
  unanswered: number;
  /** Files that balanced and cautious call artificial, and that the assessment leaves open; null if the task has none. */
  calledFiles: number;
  calledCautiousFiles: number | null;
  inconclusiveFiles: number | null;
  /** Share that is called artificial, a source by the square root of its size: false alarms of human groups, found of artificial ones. */
  called: Estimate;
  calledCautious: Estimate;
  /** Whether the group has enough files for a row. */
  isLargeEnough: boolean;
}

interface GroupRule {
  label: LabelName;
  pattern: RegExp;
  group: string;
}

/** Sorts the words of an index into groups, the first rule that matches counts; a word without a rule is a group. */
export class Grouping {
  readonly #rules: readonly GroupRule[];

  private constructor(rules: readonly GroupRule[]) {
    this.#rules = rules;
  }

  /** `label`, `pattern` (a regular expression over kind and source), `group`. Throws a FolderError. */
  static read(path = DEFAULT_FILE): Grouping {
    const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
    if (head !== 'label\tpattern\tgroup') {
      throw new FolderError(
        `${path}: expected the columns label, pattern and group, found ${JSON.stringify(head)}`,
      );
    }
    return new Grouping(lines.map((line, index) => parseRule(line, `${path} line ${index + 2}`)));
  }

  groupOf({ label, kind, source }: Pick<Measurement, 'label' | 'kind' | 'source'>): string {
    const rule = this.#rules.find(
      (known) => known.label === label && (known.pattern.test(kind) || known.pattern.test(source)),
    );
    return rule?.group ?? (kind === '' ? source : kind);
  }
}

function parseRule(line: string, where: string): GroupRule {
  const [name, pattern = '', group = ''] = line.split('\t');
  const label = LABELS.find((known) => known === name);
  if (label === undefined || pattern === '' || group === '') {
    throw new FolderError(`${where}: expected a label, a pattern and a group, found ${JSON.stringify(line)}`);
  }
  try {
    return { label, pattern: new RegExp(pattern, 'i'), group };
  } catch (error) {
    throw new FolderError(`${where}: pattern: ${error instanceof Error ? error.message : error}`);
  }
}

/** Human groups first, in each label the most called first, the others last. */
export function toGroups(own: readonly Measurement[], grouping: Grouping): GroupReport[] {
  return LABELS.flatMap((label) => {
    const groups = Map.groupBy(
      own.filter((measurement) => measurement.label === label),
      (measurement) => grouping.groupOf(measurement),
    );
    const [large, small] = [true, false].map((wanted) =>
      [...groups].filter(([, files]) => files.length >= GROUP_FILES_MIN === wanted),
    );
    const named = (large ?? []).map(([group, files]) => toGroup({ label, group, joined: [] }, files));
    const sorted = named.toSorted((a, b) => b.called.value - a.called.value);
    if (small === undefined || small.length === 0) return sorted;
    const joined = small.map(([group]) => group).sort();
    const others = { label, group: OTHERS, joined };
    return [
      ...sorted,
      toGroup(
        others,
        small.flatMap(([, files]) => files),
      ),
    ];
  });
}

function toGroup(about: Pick<GroupReport, 'label' | 'group' | 'joined'>, files: Measurement[]): GroupReport {
  const rows = toScored(files, ({ probability }) => probability, { countsSilence: true });
  const countOf = (isTrue: (measurement: Measurement) => boolean) => files.filter(isTrue).length;
  const isCautious = ({ called }: Pick<Scored, 'called'>) => called?.includes('cautious') === true;
  const [first] = files;
  return {
    ...about,
    files: files.length,
    sources: new Set(files.map(({ source }) => source)).size,
    unanswered: countOf(({ probability }) => probability === null),
    calledFiles: rows.filter(isCalled).length,
    calledCautiousFiles: first?.called === null ? null : rows.filter(isCautious).length,
    inconclusiveFiles: first?.state === null ? null : countOf(({ state }) => state === 'inconclusive'),
    called: estimateShare(rows, isCalled),
    calledCautious: estimateShare(
      rows.filter(({ called }) => called !== null),
      isCautious,
    ),
    isLargeEnough: files.length >= GROUP_FILES_MIN,
  };
}

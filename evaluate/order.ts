/** What the command line asks of an evaluation. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './run-command.ts';
import { TASKS, type Task } from './task.ts';
import { EVALUATED_KINDS, type EvaluatedKind, tierNames } from './tiers.ts';

export const USAGE = `npm run evaluate -- --data DIR [options]

  --data DIR          human/ and artificial/ with a sub-folder per source, or files.tsv (label, source, file);
                      faces: human/ and artificial/ or swapped/; tampering: human/ and edited/, and masks/ of the
                      same names, or NAME_mask.png beside NAME: PNG of the picture's size, white where it was edited
  --kind KIND         image, audio or video (image)
  --task NAME         origin, faces or tampering (origin)
  --tiers             also as the web, the telephone and platforms of video leave them
  --codecs            audio: also as voice codecs, lost packets and a denoiser leave it; Debian's ffmpeg and sox
  --packs DIR         packs of the folds instead of the running daemon: folds.tsv (label, source, fold) and the packs of
                      each in fold-N/; every file goes to a daemon whose packs were trained without its source
  --limit N           at most N files, spread over the sources
  --groups FILE       kinds of media and families of generators: label, pattern, group (evaluate/groups.tsv)
  --sources FILE      only the sources named there, one per line
  --prefix-sources    a source is what stands before the first hyphen of a name, where nothing else names it
  --out DIR           figures.json, curves.svg and the journal (data/evaluation)
  --jobs N            files at once, 1 to 32 (4)
  --keep-records      leave the records in the daemon
  --json              print the figures as JSON instead of tables

The daemon and the key are found as the command assay finds them: ASSAY_ADDRESS, ASSAY_API_KEY, ASSAY_DATA_DIR. With
--packs there is a daemon per fold, one after the other, with a temporary folder of its own.`;

const JOBS_MAX = 32;

const OPTIONS = {
  data: { type: 'string' },
  kind: { type: 'string', default: 'image' },
  task: { type: 'string', default: 'origin' },
  tiers: { type: 'boolean', default: false },
  codecs: { type: 'boolean', default: false },
  packs: { type: 'string' },
  groups: { type: 'string' },
  limit: { type: 'string' },
  sources: { type: 'string' },
  'prefix-sources': { type: 'boolean', default: false },
  out: { type: 'string', default: 'data/evaluation' },
  jobs: { type: 'string', default: '4' },
  'keep-records': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export interface Order {
  folder: string;
  out: string;
  kind: EvaluatedKind;
  task: Task;
  tiers: string[];
  jobs: number;
  /** The command as it was typed. */
  command: string;
  /** Null for the packs that come with the program. */
  groupsFile: string | null;
  /** Null for the running daemon. */
  packsFolder: string | null;
  limit: number | null;
  sourcesFile: string | null;
  hasPrefixes: boolean;
  keepsRecords: boolean;
  json: boolean;
}

export function parseOrder(args: readonly string[]): Order {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const kind = EVALUATED_KINDS.find((known) => known === values.kind);
  const task = TASKS.find((known) => known === values.task);
  if (values.data === undefined) throw new UsageError('--data: expected a folder, found nothing');
  if (kind === undefined) {
    throw new UsageError(`--kind: expected ${EVALUATED_KINDS.join(', ')}, found ${values.kind}`);
  }
  if (task === undefined) throw new UsageError(`--task: expected ${TASKS.join(', ')}, found ${values.task}`);
  if (kind !== 'image' && task !== 'origin') {
    throw new UsageError(`--task: expected origin for ${kind}, found ${task}`);
  }
  if (kind !== 'audio' && values.codecs) throw new UsageError(`--codecs: expected kind audio, found ${kind}`);
  return {
    ...{ folder: resolve(values.data), out: resolve(values.out), kind, task },
    tiers: tierNames(kind, values),
    jobs: parseCount('--jobs', values.jobs, JOBS_MAX),
    command: ['npm run evaluate --', ...args.map(quote)].join(' '),
    groupsFile: values.groups ?? null,
    packsFolder: values.packs === undefined ? null : resolve(values.packs),
    limit: values.limit === undefined ? null : parseCount('--limit', values.limit, Number.MAX_SAFE_INTEGER),
    sourcesFile: values.sources ?? null,
    hasPrefixes: values['prefix-sources'],
    keepsRecords: values['keep-records'],
    json: values.json,
  };
}

/** Quotes the words as a shell reads them. */
function quote(arg: string): string {
  return /^[\w./:=,@+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}

function parseCount(option: string, text: string, maximum: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maximum) return count;
  throw new UsageError(`${option}: expected a whole number from 1 to ${maximum}, found ${text}`);
}

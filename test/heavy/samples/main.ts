/**
 * `npm run test:heavy -- samples`: public collections against a daemon and other programs. ASSAY_SAMPLES
 * names a folder with a folder of each (file-type, music-metadata, Pillow, av1-avif, libheif, exiftool,
 * FFmpeg's samples); ASSAY_SAMPLES_LIST where the list goes (JSON lines).
 */
import { appendFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import Table from 'cli-table3';
import { TestDaemon } from '../../daemon.ts';
import { absence } from '../../examples/clients.ts';
import { writeTinyImagePack } from '../../interface/packs.ts';
import { writeTinySpeechPack } from '../../models/tiny-speech-pack.ts';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { compare, type Difference } from './differences.ts';
import { analyse } from './outcomes.ts';
import { askTools, readTags } from './tools.ts';

/** A collection of more is thinned evenly: the run ends within its hour. */
const COLLECTION_FILES_MAX = 400;
/** The files that show a fault are small; films of gigabytes show how fast the disk is. */
const FILE_BYTES_MAX = 32 * 2 ** 20;
const AT_ONCE = 3;

interface Row {
  collection: string;
  file: string;
  differences: readonly Difference[];
}

const folder = process.env.ASSAY_SAMPLES;
const list = process.env.ASSAY_SAMPLES_LIST ?? join(tmpdir(), 'assay-samples.jsonl');
if (folder === undefined) process.stdout.write('skipped: ASSAY_SAMPLES names no folder of collections\n');
else await play(folder);

async function play(samples: string): Promise<void> {
  const lacking = { ffprobe: absence('ffprobe', ['-version']), exiftool: absence('exiftool', ['-ver']) };
  for (const why of Object.values(lacking))
    if (why !== false) process.stdout.write(`compared without ${why}\n`);
  await using packs = await makeTemporaryFolder();
  await writeTinySpeechPack(packs.path);
  await writeTinyImagePack(packs.path, { id: 'tiny', minimumShortSide: 1 });
  const env = {
    ...{ ASSAY_MODELS_FOLDERS: packs.path, ASSAY_ANALYSIS_STABILITY: 'false' },
    ASSAY_LIMITS_VIDEO_HEIGHT_MIN: '1',
  };
  await using daemon = await TestDaemon.start({ env });
  await writeFile(list, '');
  const rows: Row[] = [];
  for (const collection of (await readdir(samples)).sort()) {
    const paths = await choose(join(samples, collection));
    const tags = lacking.exiftool === false ? await readTags(paths) : new Map();
    const left = paths.values();
    const work = async (): Promise<void> => {
      for (const path of left) {
        const said = await askTools(path, tags.get(path), lacking.ffprobe === false);
        const fault = (error: unknown) => [{ about: 'fault', what: String(error) } as const];
        const outcome = await analyse(daemon, path).catch(fault);
        const differences = 'end' in outcome ? compare(outcome, said) : outcome;
        rows.push({ collection, file: relative(samples, path), differences });
        await appendFile(list, `${JSON.stringify({ ...rows.at(-1), outcome, said })}\n`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  if (daemon.process.exitCode !== null) throw new Error(`the daemon ended: ${daemon.stderr.join('\n')}`);
  report(rows);
}

/** Chooses files evenly over the collection, so that each folder is met. */
async function choose(collection: string): Promise<string[]> {
  const entries = await readdir(collection, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const small = paths.filter((_, at) => (sizes[at] ?? 0) <= FILE_BYTES_MAX).sort();
  const step = Math.max(1, small.length / COLLECTION_FILES_MAX);
  const chosen = small.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  const leftOut = paths.length - chosen.length;
  if (leftOut > 0) process.stdout.write(`${collection}: ${leftOut} of ${paths.length} files left out\n`);
  return chosen;
}

function report(rows: readonly Row[]): void {
  const table = new Table({
    head: ['collection', 'files', 'agreed', 'explained', 'open'],
    style: { head: [], border: [] },
  });
  for (const [collection, own] of Map.groupBy(rows, (row) => row.collection)) {
    const agreed = own.filter(({ differences }) => differences.length === 0).length;
    const open = own.filter(({ differences }) => differences.some(isOpen)).length;
    table.push([collection, own.length, agreed, own.length - agreed - open, open]);
  }
  const reasons = rows.flatMap(({ differences }) => differences.flatMap(({ reason }) => reason ?? []));
  process.stdout.write(`${table}\n`);
  for (const [reason, same] of Map.groupBy(reasons, (text) => text))
    process.stdout.write(`explained ${same.length}: ${reason}\n`);
  for (const { file, differences } of rows) {
    for (const { what } of differences.filter(isOpen)) process.stdout.write(`open: ${file}: ${what}\n`);
    if (differences.some(isOpen)) process.exitCode = 1;
  }
  process.stdout.write(`each file: ${list}\n`);
}

function isOpen({ reason }: Difference): boolean {
  return reason === undefined;
}

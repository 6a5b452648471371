/** Facts of pictures beneath ASSAY_FACTS_FOLDER (or the collection's) against exiftool's; skipped by name without it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { toMoment, toPlace } from '../../../src/domain/provenance/fact-values.ts';
import { type FactKind, findFacts } from '../../../src/domain/provenance/file-facts.ts';
import { readFileTexts } from '../../../src/worker/metadata/file-texts.ts';
import { readMediaType } from '../../../src/worker/pictures/media-header.ts';
import { sharedData } from '../../shared-data.ts';

const FILES_MAX = 2000;
const TAGS = ['DateTimeOriginal', 'OffsetTimeOriginal', 'Make', 'Model', 'LensModel'].map(
  (name) => `-EXIF:${name}`,
);
const PLACE = ['-Composite:GPSLatitude', '-Composite:GPSLongitude'];

type Said = Record<string, string | number | undefined>;
/** What exiftool says, as Assay would write it; empty where it says nothing. */
const EXPECTED: readonly [FactKind, field: string, (said: Said) => string][] = [
  [
    'captured',
    'EXIF DateTimeOriginal',
    ({ DateTimeOriginal = '', OffsetTimeOriginal = '' }) =>
      toMoment(`${DateTimeOriginal}${OffsetTimeOriginal}`),
  ],
  [
    'place',
    'EXIF GPSLatitude',
    ({ GPSLatitude = '', GPSLongitude = '' }) => toPlace(`${GPSLatitude} ${GPSLongitude}`),
  ],
  [
    'camera',
    'EXIF Make',
    ({ Make = '', Model = '' }) =>
      `${Model}`.startsWith(`${Make}`) ? `${Model}` : `${Make} ${Model}`.trim(),
  ],
  ['lens', 'EXIF LensModel', ({ LensModel = '' }) => `${LensModel}`],
];

async function compare(path: string, said: Said): Promise<string[]> {
  const { mime } = await readMediaType(path);
  const { facts } = await readFileTexts({ path, mime });
  const found = findFacts(facts);
  return EXPECTED.flatMap(([kind, field, expect]) => {
    const expected = expect(said)
      .replaceAll(/[\p{C}\s]+/gu, ' ')
      .trim();
    const read = found.find((fact) => fact.kind === kind && fact.field.startsWith(field))?.value ?? '';
    if (expected !== '') counts.compared += 1;
    return expected === '' || expected === read
      ? []
      : [`${path}: ${kind} is ${expected} by exiftool, “${read}” here`];
  });
}

const counts = { compared: 0, files: 0 };
if (spawnSync('exiftool', ['-ver']).status !== 0) {
  process.stdout.write('skipped: exiftool is not installed\n');
} else {
  const folder = realpathSync(process.env.ASSAY_FACTS_FOLDER ?? sharedData('whole', 'human'));
  const paths = globSync('**/*.{jpg,jpeg,png,webp,tif,tiff,heic}', { cwd: folder })
    .sort()
    .slice(0, FILES_MAX);
  const input = paths.map((path) => join(folder, path)).join('\n');
  const bounds = { input, maxBuffer: 64 * 2 ** 20, encoding: 'utf8' } as const;
  const answer = execFileSync('exiftool', ['-json', '-n', '-fast2', ...TAGS, ...PLACE, '-@', '-'], bounds);
  const differences: string[] = [];
  for (const said of JSON.parse(answer) as Said[]) {
    counts.files += 1;
    differences.push(...(await compare(String(said.SourceFile), said)));
  }
  process.stdout.write(
    `${counts.files} files, ${counts.compared} facts compared, ${differences.length} differ\n`,
  );
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  if (differences.length > 0 || counts.compared === 0) process.exitCode = 1;
}

/** What is measured `outside` shares no owner, file or near duplicate with what is learnt `inside`; reserved is in neither. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { countBits } from '../../src/domain/media/perceptual-hash.ts';
import { sharedData, skipWithoutSharedData } from '../shared-data.ts';

const FOLDER = join(import.meta.dirname, '../../models/training/corpus/manifests');
const KINDS = ['edit', 'face', 'image', 'speech', 'video'];
/** Pictures whose PDQ hashes differ by as many bits or fewer are near duplicates; sounds by their own fingerprint. */
const NEAR_BITS = { pictures: 31, sounds: 40 };
const REQUIRED = [
  'harvest',
  'label',
  'source',
  'group',
  'what',
  'family',
  'repository',
  'commit',
  'path',
  'sha256',
  'bytes',
  'format',
  'print',
  'licence',
  'date',
  'file',
];
const REQUIRED_OF_MEDIUM: Record<string, string[]> = {
  image: ['width', 'height'],
  video: ['width', 'height', 'seconds', 'fps'],
  audio: ['seconds', 'rate', 'channels', 'language'],
};
const HASH = /^[0-9a-f]{64}$/;

type Row = Record<string, string>;

const rows: Row[] = [];

before(() => {
  for (const kind of KINDS) rows.push(...readManifest(kind));
});

function readManifest(kind: string): Row[] {
  const [head = '', ...lines] = readFileSync(join(FOLDER, `${kind}.tsv`), 'utf8')
    .trimEnd()
    .split('\n');
  const columns = head.split('\t');
  return lines.map((line, index) => {
    const values = line.split('\t');
    assert.equal(values.length, columns.length, `${kind}.tsv, line ${index + 2}`);
    return { kind, ...Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ''])) };
  });
}

const ownerOf = (row: Row): string => (row.repository?.split('/')[0] ?? '').toLowerCase();
const mediumOf = (row: Row): string => row.file?.split('/')[0] ?? '';
const sideOf = (side: string): Row[] => rows.filter((row) => row.harvest === side);

test('there is a manifest of every kind, and nothing else', () => {
  assert.deepEqual(
    readdirSync(FOLDER).sort(),
    KINDS.map((kind) => `${kind}.tsv`),
  );
  assert.ok(rows.length > 0);
});

test('every row has what its medium must have', () => {
  const faults = rows.flatMap((row) =>
    [...REQUIRED, ...(REQUIRED_OF_MEDIUM[mediumOf(row)] ?? ['medium'])]
      .filter((column) => !row[column])
      .map((column) => `${row.source} ${row.path}: ${column}`),
  );
  assert.deepEqual(faults, []);
  const shapeless = rows.filter((row) => !HASH.test(row.sha256 ?? '') || !HASH.test(row.print ?? ''));
  assert.deepEqual(shapeless, []);
  assert.ok(rows.every((row) => row.harvest === 'inside' || row.harvest === 'outside'));
});

test("the hash of the owner's name decides the harvest, a fifth of all owners lies outside", () => {
  const wrong = rows.filter((row) => {
    const digest = createHash('sha256')
      .update(`assay-harvest:${ownerOf(row)}`)
      .digest();
    return (digest.readUInt16BE(0) < Math.floor(65536 / 5) ? 'outside' : 'inside') !== row.harvest;
  });
  assert.deepEqual(wrong, []);
  const owners = new Set(rows.map(ownerOf));
  const outside = new Set(sideOf('outside').map(ownerOf));
  assert.ok(
    outside.size / owners.size > 0.12 && outside.size / owners.size < 0.28,
    `${outside.size} of ${owners.size}`,
  );
});

test('no owner, no source and no file lies on both sides', () => {
  const inside = { owner: new Set(), source: new Set(), file: new Set() };
  for (const row of sideOf('inside')) {
    inside.owner.add(ownerOf(row));
    inside.source.add(row.source);
    inside.file.add(row.sha256);
  }
  const both = sideOf('outside').filter(
    (row) => inside.owner.has(ownerOf(row)) || inside.source.has(row.source) || inside.file.has(row.sha256),
  );
  assert.deepEqual(both, []);
  assert.equal(new Set(rows.map((row) => row.sha256)).size, rows.length);
});

test('no near duplicate lies on both sides', () => {
  const toWords = (digits: string): Uint32Array =>
    Uint32Array.from({ length: 8 }, (_, at) => Number.parseInt(digits.slice(at * 8, at * 8 + 8), 16));
  for (const [near, media] of [
    [NEAR_BITS.pictures, ['image', 'video']],
    [NEAR_BITS.sounds, ['audio']],
  ] as const) {
    const of = (side: string) =>
      sideOf(side)
        .filter((row) => (media as readonly string[]).includes(mediumOf(row)))
        .map((row) => ({ row, words: toWords(row.print ?? '') }));
    const inside = of('inside');
    const alike: string[] = [];
    for (const { row, words } of of('outside')) {
      for (const other of inside) {
        let bits = 0;
        for (let at = 0; at < 8 && bits <= near; at++) {
          bits += countBits((words[at] as number) ^ (other.words[at] as number));
        }
        if (bits <= near)
          alike.push(`${row.source} ${row.path} and ${other.row.source} ${other.row.path}: ${bits} bits`);
      }
    }
    assert.deepEqual(alike, []);
  }
});

test('nothing reserved for measuring is in it', { skip: skipWithoutSharedData('corpus') }, () => {
  const read = (name: string): Set<string> =>
    new Set(readFileSync(sharedData('corpus', name), 'utf8').split(/\s+/).filter(Boolean));
  const repositories = read('reserved-repositories.sha256');
  const files = read('reserved-files.sha256');
  assert.ok(repositories.size > 0 && files.size > 0);
  const reserved = rows.filter((row) => {
    const name = createHash('sha256')
      .update((row.repository ?? '').toLowerCase())
      .digest('hex');
    return repositories.has(name) || files.has(row.sha256 ?? '');
  });
  assert.deepEqual(reserved, []);
});

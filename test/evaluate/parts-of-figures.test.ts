import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { estimateFigures } from '../../evaluate/estimate.ts';
import { toScored } from '../../evaluate/figures.ts';
import { Grouping, toGroups } from '../../evaluate/groups.ts';
import type { Measurement } from '../../evaluate/measurement.ts';
import { effectiveSources, wilson } from '../../evaluate/rate-interval.ts';
import { toSizeClasses } from '../../evaluate/size-classes.ts';
import { toPairs, toSubsets } from '../../evaluate/subsets.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

let made = 0;

function measurement(changes: Partial<Measurement>): Measurement {
  made += 1;
  const { probability = 0.1 } = changes;
  return {
    ...{ path: `${made}`, tier: 'clean', label: 'human', source: `source-${made}`, kind: '', models: {} },
    state: probability === null ? 'not_applicable' : probability >= 0.5 ? 'artificial' : 'human',
    called: probability !== null && probability >= 0.5 ? ['balanced'] : [],
    ...{ fold: null, held: false, shortSide: 512, framesPerSecond: null, rulesVersion: 1, hasTrack: false },
    ...changes,
    probability,
  };
}

const many = (count: number, changes: Partial<Measurement>): Measurement[] =>
  Array.from({ length: count }, () => measurement(changes));
const scoredBy = ({ probability }: Measurement) => probability;

test('where no source shows a false alarm, the interval says how many sources there were', () => {
  const human = many(40, {});
  const rows = toScored([...human, ...many(40, { label: 'artificial', probability: 0.9 })], scoredBy);
  const { falseAlarmRateCautious: alarms, recallCautious: found } = estimateFigures(rows);
  assert.deepEqual([alarms.value, alarms.low], [0, 0]);
  assert.ok(Math.abs(alarms.high - 1.96 ** 2 / (40 + 1.96 ** 2)) < 1e-12, `${alarms.high}`);
  assert.equal(found.value, 0);
  // Forty files of one source may all pass for one reason: they are one trial.
  const one = toScored(many(40, { source: 'one' }), scoredBy);
  assert.ok(Math.abs(effectiveSources(one) - 1) < 1e-12);
  const [low, high] = wilson(0.5, 100);
  assert.ok(Math.abs(low - 0.4038) < 1e-3 && Math.abs(high - 0.5962) < 1e-3, 'as in tables of Wilson');
});

test('calibration is printed by size, beside what chance alone would show', () => {
  const small = { shortSide: 200 };
  const classes = toSizeClasses([
    ...many(20, { ...small, probability: 0.4 }),
    ...many(20, { ...small, probability: 0.4, label: 'artificial' }),
    ...many(20, { shortSide: 768 }),
    ...many(3, { shortSide: 768, label: 'artificial', probability: 0.9 }),
    ...many(14, { shortSide: 4000 }),
    measurement({ shortSide: null }),
    measurement({ shortSide: 200, probability: null }),
  ]);
  assert.deepEqual(
    classes.map(({ shortSideMin, shortSideMax, human, artificial }) => [
      shortSideMin,
      shortSideMax,
      human,
      artificial,
    ]),
    [
      [0, 384, 20, 20],
      [768, 1536, 20, 3],
      [1536, null, 14, 0],
    ],
  );
  const [first, second, third] = classes;
  // Half of what is called 40 % artificial is: labels weigh the same.
  assert.ok(Math.abs((first?.ece.value ?? 0) - 0.1) < 1e-12);
  assert.ok(Math.abs((second?.ece.value ?? 0) - 0.1) < 1e-12);
  assert.ok((first?.eceByChance ?? 0) > 0.02 && (first?.eceByChance ?? 1) < 0.12, `${first?.eceByChance}`);
  assert.ok(Number.isNaN(third?.ece.value), 'too few, and of one label');
});

test('kinds and families are named by rules, small ones joined, and silence accuses no one', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'groups.tsv');
  await writeFile(path, 'label\tpattern\tgroup\nhuman\tpaint|draw\tpaintings\nartificial\tflux\tFlux\n');
  const groups = toGroups(
    [
      ...many(5, { kind: 'Paintings (scans)', probability: 0.8 }),
      ...many(10, { kind: 'drawings' }),
      ...many(5, { kind: 'drawings', probability: null }),
      ...many(14, { kind: 'photographs' }),
      ...many(3, { kind: 'comics', probability: 0.7 }),
      ...many(15, {
        label: 'artificial',
        kind: 'Flux.1',
        probability: 0.8,
        called: ['balanced', 'cautious'],
      }),
    ],
    Grouping.read(path),
  );
  assert.deepEqual(
    groups.map(({ label, group, files, unanswered, calledFiles, calledCautiousFiles, isLargeEnough }) => [
      ...[label, group, files, unanswered, calledFiles, calledCautiousFiles, isLargeEnough],
    ]),
    [
      ['human', 'paintings', 20, 5, 5, 0, true],
      ['human', 'others', 17, 0, 3, 0, true],
      ['artificial', 'Flux', 15, 0, 15, 15, true],
    ],
  );
  const [paintings, others] = groups;
  assert.ok(Math.abs((paintings?.called.value ?? 0) - 0.25) < 1e-12);
  assert.deepEqual(others?.joined, ['comics', 'photographs']);
});

test('a rule that is none is named with its line', async () => {
  await using folder = await makeTemporaryFolder();
  const path = join(folder.path, 'groups.tsv');
  await writeFile(path, 'label\tpattern\tgroup\nhuman\t(\tdrawings\n');
  assert.throws(() => Grouping.read(path), { name: 'FolderError', message: /groups\.tsv line 2: pattern: / });
});

test('the rules that come with the program separate the kinds', () => {
  const grouping = Grouping.read();
  const groupOf = (label: 'human' | 'artificial', kind: string) =>
    grouping.groupOf({ label, kind, source: 's' });
  const cases = {
    human: {
      'interior, low light (camera)': 'night and low light',
      'phone UI screenshots': 'screenshots and charts',
    },
    artificial: {
      'Gemini image (Nano Banana 1/2/Pro/lite) (SD.Next reference preview)': 'Google (Gemini, Imagen)',
      'GPT-4o image': 'OpenAI (DALL-E, GPT Image)',
      'Flux.1 dev (and finetunes) (SD.Next reference preview)': 'Flux and its kin',
      t2v: 't2v',
    },
  };
  for (const [label, kinds] of Object.entries(cases)) {
    for (const [kind, group] of Object.entries(kinds)) assert.equal(groupOf(label as 'human', kind), group);
  }
});

test('clips of few frames a second, and clips without a known rate, are in no subset', () => {
  const clips = [8, 12, 30, null].flatMap((framesPerSecond) => [
    measurement({ framesPerSecond }),
    measurement({ framesPerSecond, label: 'artificial', probability: framesPerSecond === 8 ? 0.05 : 0.9 }),
  ]);
  const [fast, ...others] = toSubsets(clips);
  assert.deepEqual([fast?.files, fast?.figures.auc.value, others.length], [4, 1, 0]);
  assert.deepEqual(toSubsets([measurement({})]), []);
});

test('an edit is held against its own original', () => {
  const pipeline = (name: string, original: number | null, edits: number[]) => [
    measurement({ source: `${name}-src`, kind: 'pipeline', probability: original }),
    ...edits.map((probability) =>
      measurement({ label: 'artificial', source: name, kind: 'v2v', probability }),
    ),
  ];
  const pairs = toPairs([
    ...pipeline('a', 0.3, [0.4, 0.2]),
    ...pipeline('b', null, [0.6]),
    // Without an edit, and without an original: no pair.
    ...pipeline('c', 0.1, []),
    measurement({ label: 'artificial', source: 'd', kind: 'v2v', probability: 0.9 }),
    measurement({ source: 'd-src', kind: 'indoor' }),
  ]);
  assert.deepEqual([pairs?.names, pairs?.auc.value], [['a', 'b'], 0.75]);
  assert.equal(toPairs([measurement({})]), null);
});

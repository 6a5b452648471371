import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrap } from '../../evaluate/bootstrap.ts';
import { toFigures, toReliability, toScored } from '../../evaluate/figures.ts';
import { Grouping } from '../../evaluate/groups.ts';
import type { Measurement } from '../../evaluate/measurement.ts';
import { toTierReports } from '../../evaluate/report.ts';

function measurement(
  label: Measurement['label'],
  source: string,
  probability: number | null,
  more: Partial<Measurement> = {},
): Measurement {
  const path = more.path ?? `${label}/${source}/${probability}`;
  const state = probability === null ? 'not_applicable' : probability >= 0.5 ? 'artificial' : 'human';
  const called =
    probability === null || probability < 0.5
      ? []
      : probability >= 0.9
        ? ['balanced', 'cautious']
        : ['balanced'];
  return {
    path,
    tier: 'clean',
    label,
    source,
    kind: '',
    probability,
    state,
    called,
    models: {},
    shortSide: 512,
    framesPerSecond: null,
    rulesVersion: 2,
    hasTrack: false,
    fold: null,
    held: false,
    ...more,
  };
}

const GROUPING = Grouping.read();
const scoredBy = ({ probability }: Measurement): number | null => probability;

test('a perfect, a reversed and a constant score have the areas they must have', () => {
  const area = (artificial: number, human: number): number =>
    toFigures(
      toScored([measurement('artificial', 'a', artificial), measurement('human', 'h', human)], scoredBy),
    ).auc;
  assert.equal(area(0.9, 0.1), 1);
  assert.equal(area(0.1, 0.9), 0);
  assert.equal(area(0.5, 0.5), 0.5);
});

test('nothing is said of what lies below a rate of false alarms where no human file is', () => {
  const [only] = toScored([measurement('artificial', 'a', 0.9)], scoredBy);
  assert.ok(only !== undefined);
  assert.deepEqual([toFigures([only]).tprAtFpr5, toFigures([only]).auc], [Number.NaN, Number.NaN]);
});

test('rates, calibration and coverage of four files', () => {
  const rows = toScored(
    [
      measurement('artificial', 'a', 0.95),
      measurement('artificial', 'b', 0.4, { state: 'inconclusive' }),
      measurement('human', 'h', 0.6),
      measurement('human', 'i', 0.05),
    ],
    scoredBy,
  );
  const figures = toFigures(rows);
  assert.equal(figures.auc, 0.75);
  assert.equal(figures.balancedAccuracy, 0.5);
  assert.equal(figures.falseAlarmRateBalanced, 0.5);
  assert.equal(figures.tprAtFpr5, 0.5);
  assert.equal(figures.recallCautious, 0.5);
  assert.equal(figures.falseAlarmRateCautious, 0);
  assert.equal(figures.coverage, 0.75);
  assert.equal(figures.balancedAccuracyDecided, 0.75);
  assert.ok(Math.abs(figures.brier - (0.05 ** 2 + 0.6 ** 2 + 0.6 ** 2 + 0.05 ** 2) / 4) < 1e-12);
  assert.ok(Math.abs(figures.ece - (0.05 + 0.6 + 0.6 + 0.05) / 4) < 1e-12);
  assert.equal(toReliability(rows).length, 4);
});

test('what is called artificial is what the daemon called so, not what lies above even odds', () => {
  const doubted: Partial<Measurement> = { state: 'inconclusive', called: [] };
  const rows = toScored(
    [measurement('artificial', 'a', 0.95), measurement('human', 'h', 0.6, doubted)],
    scoredBy,
  );
  assert.equal(toFigures(rows).falseAlarmRateBalanced, 0);
});

test('a source with many files does not decide alone, and labels weigh the same', () => {
  const many = Array.from({ length: 16 }, (_, index) =>
    measurement('human', 'many', 0.9, { path: `${index}` }),
  );
  const rows = toScored(
    [...many, measurement('human', 'one', 0.1), measurement('artificial', 'a', 0.95)],
    scoredBy,
  );
  // 16 files weigh √16 = 4 together, against 1.
  assert.ok(Math.abs(toFigures(rows).falseAlarmRateBalanced - 0.8) < 1e-12);
  const sum = rows.reduce((total, { weight }) => total + weight, 0);
  assert.ok(Math.abs(sum - 1) < 1e-12);
});

test('files without an answer are in no figure and are counted', () => {
  const [report] = toTierReports(
    [measurement('artificial', 'a', 0.9), measurement('human', 'h', 0.1), measurement('human', 'i', null)],
    ['clean'],
    GROUPING,
  );
  assert.equal(report?.files, 2);
  assert.equal(report?.unanswered, 1);
  const { figures, figuresWithSilence: all, answered } = report ?? assert.fail();
  assert.deepEqual([figures.auc.value, figures.coverage.value], [1, 1]);
  // Half of the human files have no answer: they differ from the artificial one all the same, and are neither called nor decided.
  assert.deepEqual([all.auc.value, all.falseAlarmRateBalanced.value, all.coverage.value], [1, 0, 0.75]);
  assert.equal(answered.value, 0.75);
});

test('a flip counts where the file is decided twice, otherwise each time', () => {
  const files = [
    { clean: 'artificial', web: 'human' },
    { clean: 'artificial', web: 'artificial' },
    { clean: 'artificial', web: 'inconclusive' },
    { clean: 'inconclusive', web: 'human' },
  ] as const;
  const artificial = files.flatMap(({ clean, web }, index) => [
    measurement('artificial', `a${index}`, 0.9, { path: `${index}`, state: clean }),
    measurement('artificial', `a${index}`, 0.2, { path: `${index}`, tier: 'web', state: web }),
  ]);
  const human = [
    measurement('human', 'h', 0.1, { path: 'h' }),
    measurement('human', 'h', 0.1, { path: 'h', tier: 'web' }),
  ];
  const web = toTierReports([...artificial, ...human], ['clean', 'web'], GROUPING).find(
    ({ tier }) => tier === 'web',
  );
  // Two verdicts each: the human file, which weighs half, and two of four artificial ones, which weigh an eighth each.
  assert.ok(Math.abs((web?.figures.flipRate.value ?? 0) - 1 / 8 / (1 / 2 + 2 / 8)) < 1e-12);
});

test('the cost of the likelihood ratio is one bit where nothing is said, and every heuristic has its rates', () => {
  const figures = toFigures(
    toScored(
      [
        measurement('artificial', 'a', 0.5, { called: ['sensitive', 'majority'] }),
        measurement('human', 'h', 0.5, { called: ['sensitive'] }),
      ],
      scoredBy,
    ),
  );
  assert.equal(figures.cllr, 1);
  const { recallSensitive, falseAlarmRateSensitive, recallMajority, falseAlarmRateMajority } = figures;
  assert.deepEqual(
    [recallSensitive, falseAlarmRateSensitive, recallMajority, falseAlarmRateMajority],
    [1, 1, 1, 0],
  );
});

test('intervals hold the figure, are the same each time, and are wide where one source decides', () => {
  const rows = toScored(
    [
      ...Array.from({ length: 40 }, (_, i) => measurement('artificial', `a${i % 8}`, 0.3 + (i % 7) / 10)),
      ...Array.from({ length: 40 }, (_, i) => measurement('human', `h${i % 8}`, 0.1 + (i % 7) / 10)),
    ],
    scoredBy,
  );
  const { auc } = bootstrap(rows, 200);
  const value = toFigures(rows).auc;
  assert.ok(auc[0] <= value && value <= auc[1], `${auc[0]} ${value} ${auc[1]}`);
  assert.deepEqual(bootstrap(rows, 200).auc, auc);
});

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeOutside,
  errorRatesOf,
  figuresOf,
  foundOf,
} from '../../../src/domain/packs/measured-figures.ts';
import { modelBlocks } from '../../../src/evidence/report/model-blocks.ts';
import { speakerOf } from '../../../src/evidence/report/texts.ts';

const INSIDE = [
  { tier: 'clean', sources: 9, images: 9, auc: 0.9, balancedAccuracy: 0.8, falseAlarmRateBalanced: 0.1 },
  { tier: 'web', sources: 9, images: 9, auc: 0.8, balancedAccuracy: 0.7, falseAlarmRateBalanced: 0.2 },
];
const ABOUT = { kind: 'image', version: '1.0.0', date: '2026-11-01', command: 'npm run evaluate' } as const;
const FIRST = { ...ABOUT, set: 'photographs', owners: 12 };
const SECOND = { ...ABOUT, set: 'harvest', files: 30 };
const PACK = {
  id: 'tiny',
  figures: INSIDE,
  outside: [
    {
      ...FIRST,
      tiers: [
        { tier: 'clean', falseAlarmRateBalanced: 0.06, recallBalanced: 0.45 },
        { tier: 'web', falseAlarmRateBalanced: 0.06, recallBalanced: 0.52 },
      ],
    },
    { ...SECOND, tiers: [{ tier: 'clean', auc: 0.93 }] },
  ],
};
const ROWS = figuresOf(PACK);

test('rows of outside media come first, in the order of the pack', () => {
  deepEqual(
    ROWS.map(({ tier, outside }) => [tier, outside?.set]),
    [
      ['clean', 'photographs'],
      ['web', 'photographs'],
      ['clean', 'harvest'],
      ['clean', undefined],
      ['web', undefined],
    ],
  );
  deepEqual(figuresOf({ id: 'of-others' }), []);
});

test('the headline is of the first outside set of that kind of media, else of owners left out', () => {
  deepEqual(errorRatesOf(ROWS, 'image'), { outside: FIRST, falseAlarms: '6', found: '45–52' });
  deepEqual(errorRatesOf(ROWS, 'video'), { outside: undefined, falseAlarms: '20', found: '60' });
  equal(errorRatesOf([], 'image'), undefined);
  equal(
    describeOutside(ROWS),
    '6 of 100 by people accused, 45–52 of 100 artificial ones found (photographs, 12 owners, 1.0.0, 2026-11-01)',
  );
  equal(describeOutside(INSIDE), '');
});

test('a rate that was not measured stays absent', () => {
  equal(foundOf({ tier: 'clean', auc: 0.93 }), undefined);
  deepEqual(errorRatesOf([{ tier: 'clean', auc: 0.93, outside: SECOND }], 'image'), {
    outside: SECOND,
    falseAlarms: '–',
    found: '–',
  });
});

test('a report has a table for each set, those of outside media first', () => {
  const model = { id: 'tiny', version: '1.1.0', name: 'Tiny', task: 'image-origin', sha256: '', licence: '' };
  const more = { source: '', trainedOn: '', figures: ROWS, isInstalled: true, cardMember: null };
  const blocks = modelBlocks(speakerOf('en'), [{ ...model, ...more }]);
  deepEqual(
    blocks.flatMap((block) => (block.type === 'table' ? [block.rows] : [])),
    [
      [
        ['as taken', '6.0\u00a0%', '45.0\u00a0%', '–', '–'],
        ['web', '6.0\u00a0%', '52.0\u00a0%', '–', '–'],
      ],
      [['as taken', '–', '–', '0.93', '30']],
      [
        ['as taken', '10.0\u00a0%', '70.0\u00a0%', '0.9', '9'],
        ['web', '20.0\u00a0%', '60.0\u00a0%', '0.8', '9'],
      ],
    ],
  );
  const sentences = blocks.flatMap((block) => (block.type === 'paragraph' ? [block.text] : []));
  deepEqual(sentences.slice(1, 4), [
    'Outside, used for no choice: photographs, 12 owners, 1.0.0, 2026-11-01',
    'Outside, used for no choice: harvest, 30 files, 1.0.0, 2026-11-01',
    'Owners left out in training',
  ]);
});

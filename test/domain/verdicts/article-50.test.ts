import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/domain/errors.ts';
import {
  adviseLabel,
  completeQuestion,
  LABELLED_KINDS,
  type LabelQuestion,
} from '../../../src/domain/verdicts/article-50.ts';

const QUESTION: LabelQuestion = {
  kind: 'image',
  part: 'generated',
  resemblesReality: true,
  isArtistic: false,
  hasEditorialControl: false,
};

const CASES: {
  name: string;
  changes: Partial<LabelQuestion>;
  duty: string;
  wording: string;
  iptc: RegExp;
}[] = [
  {
    name: 'could be taken for real',
    changes: {},
    duty: 'disclose',
    wording: 'AI GENERATED',
    iptc: /\/trainedAlgorithmicMedia$/,
  },
  {
    name: 'changed, could be taken for real',
    changes: { part: 'modified' },
    duty: 'disclose',
    wording: 'AI MODIFIED',
    iptc: /\/compositeWithTrainedAlgorithmicMedia$/,
  },
  {
    name: 'editorial control is no exception for a picture',
    changes: { hasEditorialControl: true },
    duty: 'disclose',
    wording: 'AI GENERATED',
    iptc: /trained/,
  },
  {
    name: 'evidently artistic',
    changes: { isArtistic: true },
    duty: 'disclose_lightly',
    wording: 'AI GENERATED',
    iptc: /trained/,
  },
  {
    name: 'no one would take it for real',
    changes: { resemblesReality: false },
    duty: 'none',
    wording: '',
    iptc: /trained/,
  },
  {
    name: 'a text that no one reviewed',
    changes: { kind: 'text' },
    duty: 'disclose',
    wording: 'AI GENERATED',
    iptc: /^$/,
  },
  {
    name: 'a text under editorial control',
    changes: { kind: 'text', hasEditorialControl: true },
    duty: 'none',
    wording: '',
    iptc: /^$/,
  },
];

for (const { name, changes, duty, wording, iptc } of CASES) {
  test(`a label where it is ${name}: ${duty}`, () => {
    const advice = adviseLabel({ ...QUESTION, ...changes });
    assert.deepEqual([advice.duty, advice.wording], [duty, wording]);
    assert.equal(advice.place === '', duty === 'none');
    assert.match(advice.sourceType, iptc);
    assert.ok(advice.sources.some(({ rank }) => rank === 'primary'));
  });
}

test('words and places rest on a source that says it is secondary; a duty alone does not', () => {
  for (const kind of LABELLED_KINDS) {
    const ranks = adviseLabel({ ...QUESTION, kind }).sources.map(({ rank }) => rank);
    assert.ok(ranks.includes('secondary'), kind);
  }
  const none = adviseLabel({ ...QUESTION, resemblesReality: false });
  assert.ok(none.sources.every(({ rank }) => rank === 'primary'));
});

test('only the answers that matter are asked for', () => {
  const missing = (work: () => unknown): string => {
    try {
      work();
      return '';
    } catch (error) {
      return error instanceof AppError ? (error.fields[0]?.field ?? '') : 'no fault of ours';
    }
  };
  assert.equal(
    missing(() => completeQuestion('image', undefined, {})),
    'resembles_reality',
  );
  assert.equal(
    missing(() => completeQuestion('video', undefined, { resemblesReality: true })),
    'is_artistic',
  );
  assert.equal(
    missing(() => completeQuestion('audio', undefined, { resemblesReality: false })),
    '',
  );
  assert.equal(
    missing(() => completeQuestion('text', undefined, {})),
    'has_editorial_control',
  );
});

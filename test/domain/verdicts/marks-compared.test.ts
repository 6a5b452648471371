import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mark } from '../../../src/domain/verdicts/marks.ts';
import { compareMarks } from '../../../src/domain/verdicts/marks-compared.ts';

function mark(kind: Mark['kind'], state: Mark['state'], value = '', field = 'f'): Mark {
  return { kind, state, field, value, origin: null, strength: 'none' };
}

const CASES: { name: string; before: Mark[]; after: Mark[]; changes: string[] }[] = [
  { name: 'nothing', before: [mark('c2pa', 'absent')], after: [mark('c2pa', 'absent')], changes: [] },
  {
    name: 'kept',
    before: [mark('c2pa', 'found', 'x')],
    after: [mark('c2pa', 'found', 'x')],
    changes: ['kept'],
  },
  { name: 'lost', before: [mark('c2pa', 'found', 'x')], after: [mark('c2pa', 'absent')], changes: ['lost'] },
  {
    name: 'broken',
    before: [mark('c2pa', 'found', 'x')],
    after: [mark('c2pa', 'broken')],
    changes: ['broken'],
  },
  {
    name: 'signed anew',
    before: [mark('c2pa', 'found', 'x')],
    after: [mark('c2pa', 'found', 'y')],
    changes: ['changed'],
  },
  {
    name: 'not to be looked for in the copy',
    before: [mark('open_watermark', 'found', 'x')],
    after: [mark('open_watermark', 'not_checkable')],
    changes: ['unknown'],
  },
  { name: 'added', before: [], after: [mark('source_type', 'found', 'x')], changes: ['added'] },
  {
    name: 'one of two names lost',
    before: [mark('generator_name', 'found', 'x', 'a'), mark('generator_name', 'found', 'y', 'b')],
    after: [mark('generator_name', 'found', 'y', 'b')],
    changes: ['lost', 'kept'],
  },
];

for (const { name, before, after, changes } of CASES) {
  test(`marks of a copy: ${name}`, () => {
    assert.deepEqual(
      compareMarks(before, after).map(({ change }) => change),
      changes,
    );
  });
}

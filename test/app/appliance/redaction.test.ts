import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redaction } from '../../../src/app/appliance/doctor/support-bundle.ts';
import { FORMATS } from '../../../src/domain/media/formats.ts';

test('the name of a file of any accepted format is hidden', () => {
  const redaction = new Redaction([]);
  const endings = FORMATS.flatMap(({ extensions }) => extensions);
  const shown = endings.filter((ending) => redaction.text(`saw villa.${ending}`) !== 'saw <file>');
  assert.deepEqual(shown, []);
});

test('a line of a program of ours stays', () => {
  assert.equal(new Redaction([]).text('at /src/main.ts:12'), 'at /src/main.ts:12');
});

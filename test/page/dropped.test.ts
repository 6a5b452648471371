import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMedia } from '../../page/parts/dropped.ts';
import { withManifests } from '../../page/submit/take-files.ts';
import { FORMATS } from '../../src/domain/media/formats.ts';

const named = (name: string, type = ''): boolean => isMedia({ name, type });

test('every accepted format is taken by its ending, in any case', () => {
  const endings = FORMATS.flatMap(({ extensions }) => extensions);
  assert.deepEqual(
    endings.filter((ending) => !named(`a.b.${ending}`) || !named(`A.${ending.toUpperCase()}`)),
    [],
  );
});

test('a manifest goes with the file that it lies beside, and alone stays a file', () => {
  const files = ['a.jpg', 'b.png', 'a.c2pa', 'B.png.C2PA', 'c.c2pa'].map((name) => new File([], name));
  const sent = withManifests(files).map(({ file, manifest }) => [file.name, manifest?.name]);
  assert.deepEqual(sent, [
    ['a.jpg', 'a.c2pa'],
    ['b.png', 'B.png.C2PA'],
    ['c.c2pa', undefined],
  ]);
});

test('hidden files and what is no medium are left out', () => {
  for (const name of ['.a.png', 'png', 'notes.txt', 'a.png.part']) assert.ok(!named(name), name);
  assert.ok(named('scan', 'image/x-new'));
});

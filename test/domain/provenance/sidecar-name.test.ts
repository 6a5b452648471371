import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MEDIA_TYPES } from '../../../src/domain/media/formats.ts';
import {
  findSidecarName,
  isSidecarName,
  renamedSidecar,
} from '../../../src/domain/provenance/sidecar-name.ts';

const ENDINGS = [...MEDIA_TYPES.flatMap(({ extensions }) => extensions), 'nef', 'pdf'];
const SPELLINGS = [
  (ending: string) => ending,
  (ending: string) => ending.toUpperCase(),
  (ending: string) => ending.charAt(0).toUpperCase() + ending.slice(1),
];
const stem = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/[/\0]/.test(text));
const medium = fc
  .tuple(stem, fc.constantFrom(...ENDINGS), fc.constantFrom(...SPELLINGS))
  .map(([name, ending, spell]) => `${name}.${spell(ending)}`);

const find = (name: string, folder: Iterable<string>): Promise<string | undefined> => {
  const names = new Set(folder);
  return findSidecarName(name, async (other) => names.has(other));
};

test('a manifest named after one file belongs to it, and goes along when that is renamed', async () => {
  await fc.assert(
    fc.asyncProperty(medium, medium, fc.boolean(), async (from, to, isShared) => {
      const sidecar = isShared ? from.replace(/\.\w+$/, '.c2pa') : `${from}.c2pa`;
      assert.equal(await find(from, [from, sidecar]), sidecar);
      const renamed = renamedSidecar(sidecar, from, to);
      assert.equal(await find(to, [to, renamed]), renamed);
    }),
  );
});

test('a manifest that fits two files belongs to neither', async () => {
  const ending = fc.constantFrom(...ENDINGS);
  const spell = fc.constantFrom(...SPELLINGS);
  await fc.assert(
    fc.asyncProperty(stem, ending, spell, ending, spell, async (name, one, spellOne, other, spellOther) => {
      const pair = [`${name}.${spellOne(one)}`, `${name}.${spellOther(other)}`];
      fc.pre(pair[0] !== pair[1]);
      for (const file of pair) assert.equal(await find(file, [...pair, `${name}.c2pa`]), undefined, file);
    }),
  );
});

test('a manifest and a file without one have none', async () => {
  await fc.assert(
    fc.asyncProperty(medium, async (name) => {
      assert.equal(await find(name, [name]), undefined);
      for (const sidecar of [`${name}.c2pa`, `${name}.C2PA`]) {
        assert.ok(isSidecarName(sidecar));
        assert.equal(await find(sidecar, [sidecar, `${sidecar}.c2pa`]), undefined);
      }
    }),
  );
});

/** How comments are worded (docs/glossary.md, How we write), beside the words that test/tidy.test.ts bans. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const GENERATED = /\/gen\//;
/** What begins with its object, or has no subject, has to be read twice. */
const SUBJECTLESS =
  /^\s*(?:\/\*\*|\/\/) (?:(?:Of|One that|Those that|As an?) .*|(?:Its|Their)(?: [\w'’-]+){1,3}\.(?: \*\/)?$)/gm;

test('a comment begins with its subject', () => {
  const files = globSync('{src,page,test}/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => !GENERATED.test(file),
  );
  assert.ok(files.length > 1000);
  const faults = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(SUBJECTLESS)].map(
      ([line]) => `${file}: ${line.trim()}`,
    ),
  );
  assert.deepEqual(faults, []);
});

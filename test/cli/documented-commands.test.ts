/** Every command line of assay that the documents show, held against the program. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { readProgram } from '../../schema/read-manual.ts';
import { allCommands, type CommandNode } from '../../src/cli/completion/command-tree.ts';
import { DOCUMENTS, LINES, ROOT, type Shown } from './shown-lines.ts';

const COMMANDS = new Map(
  allCommands(await readProgram()).map((command) => [command.path.join(' '), command]),
);

const OURS = /(?:^|[\s(`])(?:npx |sudo |\S*bin\/)?assay ((?!ready)[a-z][^`|;&)>#]*)/g;
/** Prose has commands in backquotes. */
const INLINE = DOCUMENTS.flatMap((document) =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/`((?:npx )?assay [a-z][^`]*)`/g)].map(
    ([, line = '']): Shown => ({ document, line: line.replaceAll('\n', ' ') }),
  ),
);

/** The fault of one command line as a reader would type it, or null. */
function faultOf(words: readonly string[]): string | null {
  let command: CommandNode | undefined = COMMANDS.get('assay');
  const known = new Set<string>(command?.options.map(({ long }) => long));
  for (const word of words) {
    if (word === '--') return null;
    const [option = ''] = word.split('=', 1);
    if (option.startsWith('--') && !known.has(option)) return `${command?.path.join(' ')} has no ${option}`;
    if (word.startsWith('-')) continue;
    const inner: CommandNode | undefined = COMMANDS.get([...(command?.path ?? []), word].join(' '));
    if (inner === undefined) {
      if (command?.path.length === 1) return `there is no assay ${word}`;
      continue;
    }
    command = inner;
    for (const { long } of inner.options) known.add(long);
    // A group without a command means its list.
    const list = inner.commands.find(({ path }) => ['list', 'show'].includes(path.at(-1) ?? ''));
    for (const { long } of list?.options ?? []) known.add(long);
  }
  return null;
}

test('every command line of assay in the documents is one', () => {
  const faults: string[] = [];
  let count = 0;
  for (const { document, line } of [...LINES, ...INLINE]) {
    for (const [, rest = ''] of line.matchAll(OURS)) {
      count += 1;
      const fault = faultOf(
        rest
          .replaceAll(/[[\],]/g, ' ')
          .trim()
          .split(/\s+/),
      );
      if (fault !== null) faults.push(`${document}: ${line}: ${fault}`);
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(count > 60, `only ${count} were found`);
});

test('a command that there is not, and an option that it has not, are found', () => {
  assert.match(faultOf(['modles', 'list']) ?? '', /there is no assay modles/);
  assert.match(faultOf(['models', 'add', 'sieve', '--flie', 'x']) ?? '', /assay models add has no --flie/);
  assert.equal(faultOf(['models', 'add', 'sieve', '--file', 'x']), null);
});

test('the index of the documents names each of them once', () => {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8');
  const named = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  const there = globSync('docs/*.md', { cwd: ROOT }).map((path) => basename(path));
  assert.deepEqual(named.sort(), there.filter((name) => name !== 'README.md').sort());
});

test('no document leads to a file that is not there', () => {
  const lost: string[] = [];
  for (const document of DOCUMENTS) {
    for (const [, path = ''] of readFileSync(join(ROOT, document), 'utf8').matchAll(
      /\]\((?!https?:|#)([^)#\s]+)/g,
    ))
      if (globSync(join(document, '..', path), { cwd: ROOT }).length === 0) lost.push(`${document}: ${path}`);
  }
  assert.deepEqual(lost, []);
});

test('every option and every argument of a command has a sentence', () => {
  const silent = [...COMMANDS.values()].flatMap(({ path, options, arguments: taken }) => [
    ...options.filter(({ description }) => description === '').map(({ long }) => [...path, long].join(' ')),
    ...taken.filter(({ description }) => description === '').map(({ usage }) => [...path, usage].join(' ')),
  ]);
  assert.deepEqual(silent, []);
});

test('every command takes --json but those that docs/cli.md names', () => {
  const text = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8').replaceAll('\n', ' ');
  const [, named = ''] = /Every command takes `--json` but (.*?): one line/.exec(text) ?? [];
  const without = [...COMMANDS.values()]
    .filter(
      ({ commands, options }) => commands.length === 0 && !options.some(({ long }) => long === '--json'),
    )
    .map(({ path }) => path.slice(1).join(' '));
  const documented = [...named.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  assert.deepEqual(documented.toSorted(), without.toSorted());
});

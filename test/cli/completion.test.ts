import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readManual, readProgram } from '../../schema/read-manual.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../../src/cli/completion/command.ts';
import { allCommands, type CommandNode } from '../../src/cli/completion/command-tree.ts';

import { absence } from '../examples/clients.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

const program = await readProgram();

let folder: TemporaryFolder;
before(async () => {
  folder = await makeTemporaryFolder();
});
after(async () => await folder[Symbol.asyncDispose]());

/** A shell that prints its completions of a line's last word. */
interface Shell {
  name: string;
  script: (root: CommandNode) => string;
  ask: (script: string, words: readonly string[]) => string[];
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    script: bashCompletion,
    ask: (script, words) => [
      '--norc',
      '-c',
      `source ${script}; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _assay; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
  },
  {
    name: 'zsh',
    script: zshCompletion,
    // The completion system wants a terminal; its input is seen without one.
    ask: (script, words) => [
      '-f',
      '-c',
      `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _describe() { print -l -- "\${(P@)2}"; }; _files() { :; }; ` +
        `source ${script}; words=(${quoted(words)}); CURRENT=${words.length}; _assay`,
    ],
  },
  {
    name: 'fish',
    script: fishCompletion,
    ask: (script, words) => ['--no-config', '-c', `source ${script}; complete -C '${words.join(' ')}'`],
  },
];

for (const { name, script, ask } of SHELLS) {
  test(`${name} completes commands, options and their words`, {
    skip: absence(name, ['-c', 'true']),
  }, async () => {
    const path = join(folder.path, `completion.${name}`);
    await writeFile(path, script(program));
    const complete = (...words: string[]): string[] => {
      const { status, stdout, stderr } = spawnSync(name, ask(path, words), {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder.path },
      });
      assert.equal(status, 0, stderr);
      assert.equal(stderr, '');
      return stdout.split('\n').map((line) => line.split(/[\t:]/, 1)[0] ?? '');
    };
    assert.ok(complete('assay', 'cl').includes('classify'));
    assert.ok(complete('assay', 'models', 'cat').includes('catalogue'));
    assert.ok(complete('assay', 'models', 'add', '--acc').includes('--accept-licence'));
    assert.deepEqual(complete('assay', 'list', '--kind', '').filter(Boolean).sort(), [
      'audio',
      'image',
      'video',
    ]);
    // The words after another command do not belong to this one.
    assert.ok(!complete('assay', 'models', 'v').includes('version'));
  });
}

/** Commands whose output is not for a program that reads JSON. */
const WITHOUT_JSON: Readonly<Record<string, string>> = {
  'assay worker run': 'its line on standard output is for supervisors, its log is JSON anyway',
  'assay serve': 'its line on standard output is for supervisors, its log is JSON anyway',
  'assay completion': 'a script for a shell',
  'assay batch run': 'the sheet is its output, JSON Lines where the sheet is',
  'assay export': '--format jsonl',
  'assay custody prove': 'proofs are JSON anyway',
};

test('every command has --json', () => {
  const lacking = allCommands(program)
    .filter(
      ({ commands, options }) => commands.length === 0 && !options.some(({ long }) => long === '--json'),
    )
    .map(({ path }) => path.join(' '));
  assert.deepEqual(lacking.sort(), Object.keys(WITHOUT_JSON).sort());
});

test('docs/assay.1 is what schema/print-manual.ts prints, and names every command', async () => {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/assay.1'), 'utf8');
  assert.equal(manual, await readManual());
  for (const { path, commands } of allCommands(program))
    if (commands.length === 0)
      assert.ok(manual.includes(`.SS "${path.join(' ').replaceAll('-', '\\-')}`), path.join(' '));
});

test('the manual page is good roff', { skip: absence('groff', ['--version']) }, () => {
  const path = join(import.meta.dirname, '../../docs/assay.1');
  const { status, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', path], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
});

/**
 * What a newcomer tries first, as a process of its own.
 *
 * Invariant: the demo judges every file that comes along, says of each what it is and what its signature says, and leaves nothing.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEMO_MEDIA } from '../../src/cli/commands/demo/demo-media.ts';
import { reach, runCommand } from '../command-line.ts';
import { TestDaemon, tinyModels } from '../daemon.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const TRUSTED = 'signature: Nothing was changed since it was signed; signed by Demo';
/** What the line of a file says of its signature; of the others that there is none. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  'camera-signed.jpg': new RegExp(`; ${TRUSTED} camera, .* It declares: captured by a digital camera`),
  'generator-signed.jpg': new RegExp(
    `by c2pa .*; ${TRUSTED} generator, .* It declares: (made|generated|created) by`,
  ),
  'generator-signed-film.mp4': new RegExp(
    `by c2pa .*; ${TRUSTED} generator, .* It declares: (made|generated|created) by`,
  ),
  'changed-after-signing.jpg': /; signature: It was changed after it was signed; signed by Demo camera/,
  'synthesised-speech.ogg': /; signature: Manifests are not readable in this format/,
};

test('the demo says of each file what it is and what its signature says, and removes what it made', async () => {
  await using folder = await makeTemporaryFolder();
  const temporary = join(folder.path, 'temporary');
  await mkdir(temporary);
  const env = { ...(await tinyModels()), ASSAY_DECODE_ISOLATION: 'any', TMPDIR: temporary };
  // Neither a daemon that is named nor its data folder may be touched.
  const named = { ASSAY_ADDRESS: '127.0.0.1:1', ASSAY_API_KEY: 'none', ASSAY_DATA_DIR: '/nowhere' };
  const { code, stdout, stderr } = await runCommand(['demo', '--once'], { ...env, ...named });
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.trimEnd().split('\n');
  for (const [name, what] of Object.entries(DEMO_MEDIA)) {
    const found = lines.filter((line) => line.startsWith(`${name} (${what}): assessed `));
    assert.equal(found.length, 1, `one line of ${name} in ${stdout}`);
    assert.match(
      found[0] ?? '',
      /: assessed (human|artificial|inconclusive|not applicable); verdict (human|artificial) /,
    );
    assert.match(found[0] ?? '', SIGNATURES[name] ?? /; no signature$/);
  }
  assert.equal(lines.length, Object.keys(DEMO_MEDIA).length);
  assert.deepEqual(await readdir(temporary), []);
});

test('with --here the running daemon keeps the records', async () => {
  await using daemon = await TestDaemon.start({ models: 'tiny' });
  const demo = await runCommand(['demo', '--here'], reach(daemon));
  assert.deepEqual([demo.code, demo.stderr], [0, '']);
  const list = await runCommand(
    ['list', '--ref-id', 'assay demo', '--status', 'done', '--json'],
    reach(daemon),
  );
  const names = list.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name);
  assert.deepEqual(names.sort(), Object.keys(DEMO_MEDIA).sort());
});

/** The commands of other programs that README and docs show, run as they stand (`documented-reasons.test.ts` lists the rest). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { ROOT, type Shown } from '../cli/shown-lines.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../faults/rounds/submissions.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { RUN, TOOLS } from './shown-tools.ts';

let folder: TemporaryFolder;
let daemon: TestDaemon;
let identifier: string;

before(async () => {
  folder = await makeTemporaryFolder();
  const packs = join(folder.path, 'packs');
  await writeTinyPacks(packs);
  daemon = await TestDaemon.start({
    env: { ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' },
  });
  identifier = await submitPicture(daemon, await distinctPicture(1));
  await awaitEnds(daemon, [identifier]);
  await writeFile(join(folder.path, 'photo.jpg'), await distinctPicture(2));
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  await symlink(join(ROOT, 'proto'), join(folder.path, 'proto'));
});
after(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

for (const shown of TOOLS.filter(({ line }) => RUN.test(line)))
  test(`${shown.document}: ${shown.line.slice(0, 100)}`, async () => {
    const { code, out, err } = await run(shown);
    assert.equal(code, 0, err);
    assert.doesNotMatch(out, /"errors":\[/);
  });

/** Runs the command with this daemon's addresses and a record of its own; an answer that is no success counts as a failure. */
async function run({ line }: Shown): Promise<{ code: number | null; out: string; err: string }> {
  const here = line
    .replaceAll('http://127.0.0.1:8480', daemon.http)
    .replaceAll('127.0.0.1:8481', daemon.grpc)
    .replaceAll(/\b[0-9a-f]{64}\b/g, identifier)
    .replace(/^curl /, 'curl --fail-with-body --max-time 20 ');
  const env = {
    PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
    KEY: TEST_KEY,
    HOME: folder.path,
  };
  const child = spawn('sh', ['-c', here], { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, out, err };
}

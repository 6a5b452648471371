/**
 * Every command of other programs that README and docs show: run here as it stands, or listed with what it waits for.
 *
 * Invariant: every other command in the documents is run, or listed with what it waits for.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { LINES, ROOT, type Shown } from '../cli/shown-lines.ts';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { awaitEnds, distinctPicture, submitPicture } from '../faults/rounds/submissions.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

/** First words of lines that are programs: the others are answers, files and the command line of assay. */
const PROGRAM =
  /^(?:\S*\/)?(?:apt-get|awk|base64|bash|cat|cd|chmod|chown|cp|curl|diff|docker|export|git|go|grep|grpcurl|gzip|install|ip|iptables|jq|journalctl|kill|ls|mkdir|mount|mv|nats|nats-server|node|npm|npx|openssl|pip|pip3|printf|ps|python3?|rm|rsync|scp|sed|sh|sha256sum|ssh|ssh-keygen|sudo|sudoedit|systemctl|tail|tar|tee|umount|unzip|useradd|wget|xxd|zip)(?= |$)/;
/** Their words are held against the program by test/cli/documented-commands.test.ts. */
const OURS = /(?:^|\| )(?:npx |sudo )?assay /;

const RUN = /^(?:curl |npx buf curl )/;
const SCRIPT = /^npm run ([\w:-]+)/;

/** What is not run here, by how its lines begin, and why. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^npm (?:ci|start)/, 'a fresh checkout does so before this test can run'],
  [SCRIPT, 'long; that the script exists is held below'],
  [/^apt-get /, 'installs for the whole machine; .ci/run tries it'],
  [/^(?:sudo|sudoedit) /, 'changes the machine; test/systemd.test.ts reads what they install'],
  [/^(?:tar|sh assay-<version>|sh verify.sh)/, 'needs a release; test/heavy/release.ts makes and checks one'],
  [/^(?:docker|cp packaging)/, 'needs a runtime of containers; test/heavy/image.ts runs the image by runc'],
  [/^grpcurl /, 'run by test/interface where it is installed'],
  [/^(?:sh|node_modules\/\.bin\/node|venv\/bin\/python) \S*examples\//, 'run by examples.test.ts'],
  [
    /^(?:go|cd examples|export|python3 -m venv|venv\/bin\/pip) ?/,
    'fetches packages; test/heavy/examples.ts does',
  ],
  [/^node_modules\/\.bin\/node test\/simulator\//, 'test/simulator/histories.test.ts runs it'],
  [/^printf /, 'takes values of a package; test/evidence/third-party.test.ts computes the same'],
];

const TOOLS = LINES.filter(({ line }) => PROGRAM.test(line) && !OURS.test(line));

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

test('every command of another program is run, or has its reason', () => {
  const undecided = TOOLS.filter(
    ({ line }) => !RUN.test(line) && !ELSEWHERE.some(([begin]) => begin.test(line)),
  );
  assert.deepEqual(undecided, []);
});

test('no reason stands for a command that no document shows', () => {
  const idle = ELSEWHERE.filter(([begin]) => !TOOLS.some(({ line }) => begin.test(line)));
  assert.deepEqual(idle, []);
});

test('every script of npm that the documents show exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const shown = TOOLS.flatMap(({ line }) => SCRIPT.exec(line)?.[1] ?? []);
  assert.ok(shown.length > 5);
  assert.deepEqual(
    shown.filter((name) => !(name in scripts)),
    [],
  );
});

for (const shown of TOOLS.filter(({ line }) => RUN.test(line)))
  test(`${shown.document}: ${shown.line.slice(0, 100)}`, async () => {
    const { code, out, err } = await run(shown);
    assert.equal(code, 0, err);
    assert.doesNotMatch(out, /"errors":\[/);
  });

/** With this daemon's addresses, a record of its own, and an answer that is no success as a failure. */
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

/** The example clients, as their reader runs them: against a running daemon, with their own tools. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { patternImage } from '../media/pictures.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { absence, CLIENTS, clientFiles, EXAMPLES, ROOT, TRIED } from './clients.ts';

/** An example that is copied must be understood at a glance. */
const LINES_MAX = 60;

let folder: TemporaryFolder;
let daemon: TestDaemon;
let env: Record<string, string>;

before(async () => {
  folder = await makeTemporaryFolder();
  await writeTinyPacks(join(folder.path, 'packs'));
  daemon = await TestDaemon.start({
    env: {
      ASSAY_MODELS_FOLDERS: join(folder.path, 'packs'),
      ...{ ASSAY_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', ASSAY_ANALYSIS_STABILITY: 'false' },
    },
  });
  env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder.path },
    ...{ ASSAY_URL: daemon.http, ASSAY_ADDRESS: daemon.grpc, ASSAY_API_KEY: TEST_KEY },
    ASSAY_WEBHOOK_SECRET: await readSecret(),
  };
});
after(async () => {
  await daemon[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function readSecret(): Promise<string> {
  const response = await fetch(`${daemon.http}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { webhookSecret } }' }),
  });
  const { data } = (await response.json()) as { data: { viewer: { webhookSecret: string } } };
  return data.viewer.webhookSecret;
}

/** A bright picture, which the small models take for artificial; another one each time, so that none is known. */
async function writePicture(index: number): Promise<string> {
  const path = join(folder.path, `picture ${index}.png`);
  const picture = patternImage(300 + index, 260).linear(0.1, 228);
  await writeFile(path, await picture.png().toBuffer());
  return path;
}

interface Outcome {
  code: number | null;
  lines: string[];
  err: string;
}

async function run(command: string, args: readonly string[]): Promise<Outcome> {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, lines: out.trimStart().replace(/\n$/, '').split('\n'), err };
}

test('every client is tried, and short', () => {
  assert.deepEqual([...TRIED].sort(), clientFiles());
  const long = clientFiles().filter(
    (file) => readFileSync(join(EXAMPLES, file), 'utf8').trimEnd().split('\n').length > LINES_MAX,
  );
  assert.deepEqual(long, []);
});

for (const [index, { file, command, args, ending, skip }] of CLIENTS.entries()) {
  test(`${file} submits, follows and prints the verdict`, { skip }, async () => {
    const path = await writePicture(index);
    const { code, lines, err } = await run(command, [...args, path]);
    assert.equal(code, 0, err);
    assert.equal(err, '');
    // One call submits and follows: its first answer comes before the work is done.
    if (/grpc/.test(file)) assert.ok(lines.length > 1, `only ${lines}`);
    assert.match(lines.at(-1) ?? '', ending);
    assert.ok(lines.at(-1)?.startsWith(`picture ${index}.png: `), lines.at(-1));
  });
}

/** A command of docs/first-verdict.md in one line, for this daemon and this record. */
function documentedCommand(beginning: string, identifier: string): string {
  const text = readFileSync(join(ROOT, 'docs', 'first-verdict.md'), 'utf8').replaceAll(/\\\n\s*/g, '');
  const line = text.split('\n').find((shown) => shown.replace(/^\$ /, '').startsWith(beginning));
  assert.ok(line !== undefined, beginning);
  return line
    .replace(/^\$ /, '')
    .replace('npx buf', join(ROOT, 'node_modules', '.bin', 'buf'))
    .replace(/[0-9a-f]{64}/, identifier)
    .replace('127.0.0.1:8481', daemon.grpc);
}

/** grpcurl takes a minute to build: test/heavy/examples.ts brings it. */
const TOOLS = ['npx buf curl', ...(absence('grpcurl', ['-version']) === false ? ['grpcurl'] : [])];

for (const beginning of TOOLS) {
  test(`the documented ${beginning} follows a record`, async () => {
    const form = new FormData();
    form.set('image', new Blob([readFileSync(await writePicture(101))]), 'picture.png');
    const headers = { 'x-api-key': TEST_KEY };
    const submitted = await fetch(`${daemon.http}/api/classification`, {
      method: 'POST',
      headers,
      body: form,
    });
    const command = documentedCommand(beginning, await submitted.text());
    const { code, lines, err } = await run('sh', ['-c', `KEY=${TEST_KEY}; ${command}`]);
    assert.equal(code, 0, err);
    assert.match(lines.join('\n'), /"status": "STATUS_DONE"/);
  });
}

test('an example reports a refused key, and exits with 1 or more', async () => {
  const path = await writePicture(100);
  const known = env.ASSAY_API_KEY ?? '';
  env.ASSAY_API_KEY = 'wrong';
  try {
    for (const { file, command, args, skip } of CLIENTS) {
      if (skip !== false) continue;
      const { code, err } = await run(command, [...args, path]);
      assert.notEqual(code, 0, file);
      assert.match(err, /API key/, file);
    }
  } finally {
    env.ASSAY_API_KEY = known;
  }
});

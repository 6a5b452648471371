/** Redocly and Spectral read the REST description, schemathesis tries a daemon. What cannot be had is skipped by name. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_KEY, TestDaemon } from '../daemon.ts';
import { absence, ROOT } from '../examples/clients.ts';
import { writeTinyPacks } from '../interface/packs.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const REDOCLY = '@redocly/cli@2.77.0';
const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const SCHEMATHESIS = 'schemathesis==4.32.5';
const DESCRIPTION = join(ROOT, 'schema', 'openapi.json');
/** An answer of the box's own making is a fault, and so is one that the description does not have. */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance'],
];
/** For each of both runs; the examples and the edges of every field take half of it. */
const FUZZ_SECONDS = 120;

await using folder = await makeTemporaryFolder();
await lint();
await fuzz();

async function lint(): Promise<void> {
  const rules = join(folder.path, 'spectral.yaml');
  await writeFile(rules, 'extends: ["spectral:oas"]\n');
  const config = join(ROOT, 'schema', 'redocly.yaml');
  const linters = [
    {
      name: REDOCLY,
      args: ['lint', DESCRIPTION, '--config', config, '--max-problems', '100'],
      warning: /Warning was generated/,
    },
    { name: SPECTRAL, args: ['lint', DESCRIPTION, '-r', rules, '--fail-severity', 'warn'], warning: /^$/ },
  ];
  for (const { name, args, warning } of linters) {
    if (!runs('npx', ['--yes', name, '--version'])) {
      process.stdout.write(`skipped: ${name} cannot be had from npm here\n`);
      continue;
    }
    const { status, stdout, stderr } = spawnSync('npx', ['--yes', name, ...args], { encoding: 'utf8' });
    report(name, status === 0 && !warning.test(`${stdout}${stderr}`), `${stdout}${stderr}`);
  }
}

async function fuzz(): Promise<void> {
  const lacking = absence('python3', ['-m', 'venv', '--help'], 'python3 with venv');
  const environment = join(folder.path, 'python');
  const program = join(environment, 'bin', 'schemathesis');
  const isThere =
    lacking === false &&
    runs('python3', ['-m', 'venv', environment]) &&
    runs(join(environment, 'bin', 'pip'), ['install', '--quiet', SCHEMATHESIS]);
  if (!isThere)
    return void process.stdout.write(
      `skipped: ${lacking || `${SCHEMATHESIS} cannot be had from PyPI here`}\n`,
    );
  const packs = join(folder.path, 'packs');
  await writeTinyPacks(packs);
  const env = { ASSAY_MODELS_FOLDERS: packs, ASSAY_ANALYSIS_STABILITY: 'false' };
  await using daemon = await TestDaemon.start({ env });
  for (const [name, headers] of [
    ['with a key', ['-H', `X-Api-Key: ${TEST_KEY}`]],
    ['without a key', []],
  ] as const) {
    const args = [
      ...['run', `${daemon.http}/openapi.json`, '--no-color', '--continue-on-failure', '--warnings', 'off'],
      ...[
        '--phases',
        'examples,coverage,fuzzing',
        '--max-time',
        String(FUZZ_SECONDS),
        '-c',
        CHECKS.join(','),
      ],
      ...headers,
    ];
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      cwd: folder.path,
      maxBuffer: 2 ** 28,
    });
    report(`${SCHEMATHESIS} ${name}`, status === 0, `${stdout}${stderr}`);
    process.stdout.write(`  ${/\d+ generated.*/.exec(stdout)?.[0] ?? ''}\n`);
  }
  report('the daemon lives on', daemon.process.exitCode === null, '');
}

function runs(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function report(name: string, holds: boolean, text: string): void {
  process.stdout.write(`${holds ? 'holds' : 'MISSED'}: ${name}\n`);
  if (holds) return;
  process.stdout.write(text);
  process.exitCode = 1;
}

/** Example clients whose tools come from elsewhere (PyPI, Go modules), then the tests of test/examples on them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { absence, EXAMPLES, ROOT } from '../examples/clients.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

const GO_TOOLS = [
  'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
  'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4',
] as const;

/** The folder of `python3` with what the examples import, or the sentence that says why not. */
function preparePython(folder: string): { bin: string } | string {
  const lacking = absence('python3', ['-m', 'venv', '--help'], 'python3 with venv');
  if (lacking !== false) return lacking;
  const environment = join(folder, 'python');
  const requirements = join(EXAMPLES, 'python', 'requirements.txt');
  const done =
    runs('python3', ['-m', 'venv', environment]) &&
    runs(join(environment, 'bin', 'pip'), ['install', '--quiet', '-r', requirements]);
  return done ? { bin: join(environment, 'bin') } : 'the packages of requirements.txt cannot be had here';
}

/** The folder of both built clients, or the sentence that says why not. */
function prepareGo(folder: string): { built: string; bin: string } | string {
  const lacking = absence('go', ['version']);
  if (lacking !== false) return lacking;
  const go = join(folder, 'go');
  const built = join(folder, 'built');
  mkdirSync(built);
  cpSync(join(EXAMPLES, 'go', 'grpc'), join(go, 'grpc'), { recursive: true });
  const env = {
    ...{
      GOBIN: join(go, 'bin'),
      GOPATH: join(go, 'path'),
      GOCACHE: join(go, 'cache'),
      GOFLAGS: '-modcacherw',
    },
    PATH: `${join(go, 'bin')}:${process.env.PATH}`,
  };
  const client = { cwd: join(go, 'grpc'), env };
  const protos = join(ROOT, 'proto');
  const done =
    GO_TOOLS.every((tool) => runs('go', ['install', tool], { env })) &&
    runs(
      join(ROOT, 'node_modules', '.bin', 'buf'),
      ['generate', protos, '--path', join(protos, 'assay')],
      client,
    ) &&
    runs('go', ['build', '-o', join(built, 'grpc'), '.'], client) &&
    runs('go', ['build', '-o', join(built, 'classify'), join(EXAMPLES, 'go', 'classify.go')], { env });
  return done ? { built, bin: join(go, 'bin') } : 'the modules of examples/go/grpc cannot be had here';
}

function runs(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): boolean {
  const { cwd, env } = options;
  const settings = { stdio: 'inherit', env: { ...process.env, ...env }, ...(cwd && { cwd }) } as const;
  return spawnSync(command, args, settings).status === 0;
}

await using folder = await makeTemporaryFolder();
const python = preparePython(folder.path);
const go = prepareGo(folder.path);
for (const found of [python, go]) if (typeof found === 'string') process.stdout.write(`skipped: ${found}\n`);
const bins = [python, go].flatMap((found) => (typeof found === 'string' ? [] : [found.bin]));
const env = {
  ...process.env,
  PATH: [...bins, process.env.PATH].join(':'),
  ...(typeof go === 'string' ? {} : { ASSAY_TEST_GO_FOLDER: go.built }),
};
const test = join(ROOT, 'test', 'examples', 'examples.test.ts');
const { status } = spawnSync(process.execPath, ['--test', test], { stdio: 'inherit', env });
process.exitCode = status ?? 1;
rmSync(join(folder.path, 'go'), { recursive: true, force: true });

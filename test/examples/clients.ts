/** The example clients: how each is run, and what of this machine it needs. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const EXAMPLES = join(ROOT, 'examples');

export interface Example {
  /** Path under examples/. */
  file: string;
  command: string;
  args: string[];
  /** What the last line says beside the name of the file. */
  ending: RegExp;
  /** For `node:test`'s `skip` option: false, or what is missing here. */
  skip: string | false;
  /** Built by test/heavy/examples.ts alone, which runs it then. */
  isHeavy?: boolean;
}

/** test/heavy/examples.ts builds the Go clients here, which takes a minute and modules of others. */
const GO_FOLDER = process.env.ASSAY_TEST_GO_FOLDER;
const PYTHON = 'python3';
const PLAIN = /: (?:ARTIFICIAL|artificial),? (?:0\.9\d*|1)$/;
const ASSESSED = /: (?:LABEL_)?ARTIFICIAL, (?:0\.9\d*|1), (?:ASSESSMENT_STATE_)?ARTIFICIAL$/;

const ALL: readonly Example[] = [
  nodeExample('rest.ts', PLAIN),
  nodeExample('graphql.ts', ASSESSED),
  nodeExample('grpc.ts', ASSESSED),
  nodeExample('webhook-receiver.ts', PLAIN),
  pythonExample('rest.py', ['requests'], PLAIN),
  pythonExample('grpc_client.py', ['grpc', 'grpc_tools'], ASSESSED),
  {
    ...{
      file: 'shell/classify.sh',
      command: 'sh',
      args: [join(EXAMPLES, 'shell/classify.sh')],
      ending: PLAIN,
    },
    skip: absence('curl', ['--version']),
  },
  goExample('go/classify.go', 'classify', /: ARTIFICIAL (?:0\.9\d*|1) DONE $/),
  goExample('go/grpc/main.go', 'grpc', ASSESSED),
];

/** The clients that this run can try: the heavy ones where they were built. */
export const CLIENTS = ALL.filter(({ isHeavy }) => isHeavy !== true || GO_FOLDER !== undefined);
/** Every client that some run tries. */
export const TRIED = ALL.map(({ file }) => file);

function nodeExample(name: string, ending: RegExp): Example {
  const file = `typescript/${name}`;
  return { file, command: process.execPath, args: [join(EXAMPLES, file)], ending, skip: false };
}

function pythonExample(name: string, modules: readonly string[], ending: RegExp): Example {
  const file = `python/${name}`;
  const skip = absence(PYTHON, ['-c', `import ${modules.join(', ')}`], `Python's ${modules.join(' and ')}`);
  return { file, command: PYTHON, args: [join(EXAMPLES, file)], ending, skip };
}

function goExample(file: string, built: string, ending: RegExp): Example {
  return { file, command: join(GO_FOLDER ?? '', built), args: [], ending, skip: false, isHeavy: true };
}

/** False where the command runs here, else the sentence that says what is missing. */
export function absence(command: string, args: readonly string[], name = command): string | false {
  const { status } = spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 });
  return status === 0 ? false : `${name}: not on this machine`;
}

/** Every client there is, so that none stays untried. */
export function clientFiles(): string[] {
  return globSync('**/*.{ts,py,go,sh}', { cwd: EXAMPLES, exclude: ['**/gen/**', 'demo/**'] }).sort();
}

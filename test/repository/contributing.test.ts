/** Six changes are made as CONTRIBUTING.md says, in a copy: the named files are enough for the compiler and what is printed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import ts from 'typescript';
import { makeTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COPIED = ['package.json', 'tsconfig.json', 'page', 'proto', 'schema', 'src'];

interface Edit {
  file: string;
  line: string;
  becomes: string;
}

function addBehind(file: string, line: string, added: string): Edit {
  return { file, line, becomes: `${line}\n${added}` };
}

interface Change {
  /** As the first column of the table names it. */
  name: string;
  edits: readonly Edit[];
  /** What is printed then, by document. */
  printed: Readonly<Record<string, RegExp>>;
}

const CHANGES: readonly Change[] = [
  {
    name: 'a field of a record',
    edits: [
      addBehind(
        'src/domain/contract/record.ts',
        "  refId: text({ label: ['Reference', 'Riferimento'] }),",
        "  deskNote: text({ label: ['Desk note', 'Nota del desk'] }),",
      ),
      addBehind('src/app/records/record.ts', '    refId: classification.refId,', "    deskNote: '',"),
    ],
    printed: { proto: /\bstring desk_note = \d+;/, graphql: /\bdeskNote: String!/ },
  },
  {
    name: 'an option of a submission',
    edits: [
      addBehind(
        'src/domain/records/analysis-options.ts',
        'export const ANALYSIS_OPTIONS = {',
        "  withSecondLook: asked({ kinds: VISIBLE, sentence: 'look twice' }),",
      ),
    ],
    printed: { proto: /\bbool with_second_look = \d+;/, graphql: /\bwithSecondLook: Boolean/ },
  },
  {
    name: 'an axis',
    edits: [
      addBehind(
        'src/domain/packs/view-axes.ts',
        'export const VIEW_AXES = {',
        `  staged: {
    time: 'staged',
    step: ['Looking for staged scenes', 'Ricerca di scene preparate'],
    stored: probability.nullable().exactOptional(),
    fields: { stagedProbability: nullable(number('Chance that the scene is staged.')) },
    show: (probability: number | null) => ({ stagedProbability: probability }),
  },`,
      ),
      addBehind(
        'src/domain/records/analysis-options.ts',
        'export const ANALYSIS_OPTIONS = {',
        `  withStaged: asked({
    kinds: VISIBLE,
    planOption: 'staged',
    tasks: ['staged'],
    texts: {
      choice: ['Staged scene', 'Scena preparata'],
      listed: ['staged scenes', 'scene preparate'],
      added: ['Look for staging', 'Cerca messe in scena'],
    },
    sentence: 'also judge whether the scene is staged',
  }),`,
      ),
    ],
    printed: {
      proto: /\bfloat staged_probability = \d+;|\bdouble staged_probability = \d+;/,
      graphql: /\bstagedProbability: Float/,
      analyses: /"step_staged":"Looking for staged scenes"/,
    },
  },
  {
    name: 'an operation',
    edits: [
      addBehind(
        'src/app/accounts/credits.ts',
        '/** Newest first. */',
        `export function getLedgerSize(app: AccountParts, { principal }: { principal: Principal }): number {
  return app.store.read.ledgerPage(principal.account.id, { before: undefined, limit: 1 }).length;
}
`,
      ),
      addBehind(
        'src/operations/accounts.ts',
        "import { getCredits, listLedger } from '../app/accounts/credits.ts';",
        "import { getLedgerSize } from '../app/accounts/credits.ts';",
      ),
      addBehind(
        'src/operations/accounts.ts',
        'export const ACCOUNT_OPERATIONS = {',
        "  getLedgerSize: query({ answer: one('ledgerSize', whole({})), run: getLedgerSize }),",
      ),
    ],
    printed: { proto: /\brpc GetLedgerSize\(GetLedgerSizeRequest\)/, graphql: /\bledgerSize: Int\b/ },
  },
  {
    name: 'a setting',
    edits: [
      addBehind(
        'src/config/table.ts',
        'export const SETTINGS = {',
        "  deskName: row('desk_name', text('a name', /^.{0,40}$/), '', 'Name of the desk.'),",
      ),
      {
        file: 'src/config/settings.ts',
        line: '      termsRequired: values.termsRequired,',
        becomes: "      termsRequired: values.termsRequired || values.deskName !== '',",
      },
    ],
    printed: { settings: /\| `desk_name` \|/ },
  },
  {
    name: 'a format',
    edits: [
      addBehind(
        'src/domain/media/formats.ts',
        'export const FORMATS: readonly Format[] = [',
        "  format('image/x-desk', 'DESK', ['desk'], { kinds: { image: 'foreign' }, starts: ['DESK'] }),",
      ),
    ],
    printed: { sniffed: /^image\/x-desk$/ },
  },
];

const PRINT = `
import { Buffer } from 'node:buffer';
import { DOCUMENTS } from './schema/print-settings.ts';
import { printGraphql } from './schema/print-graphql.ts';
import { printAnalyses } from './schema/print-analyses.ts';
import { updateProto } from './schema/print-proto.ts';
import { sniffMediaType } from './src/domain/media/sniff.ts';
const proto = [...updateProto().values()].join('\\n');
const settings = DOCUMENTS.map(({ print }) => print()).join('\\n');
const sniffed = sniffMediaType(Buffer.from('DESK')).mime;
process.stdout.write(JSON.stringify({ proto, settings, sniffed, graphql: printGraphql(), analyses: printAnalyses() }));
`;

let folder: TemporaryFolder;
let printed: Record<string, string>;

before(async () => {
  folder = await makeTemporaryFolder();
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder.path, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  for (const edit of CHANGES.flatMap(({ edits }) => edits)) apply(edit);
  writeFileSync(join(folder.path, 'print.ts'), PRINT);
  const env = { PATH: process.env.PATH };
  printed = JSON.parse(
    execFileSync(process.execPath, ['print.ts'], { cwd: folder.path, encoding: 'utf8', env }),
  );
});

after(() => folder[Symbol.asyncDispose]());

function apply({ file, line, becomes }: Edit): void {
  const path = join(folder.path, file);
  const parts = readFileSync(path, 'utf8').split(`${line}\n`);
  assert.equal(parts.length, 2, `${file} has the line once: ${line}`);
  writeFileSync(path, parts.join(`${becomes}\n`));
}

/** The files that the table names for a change: a file, a folder, or a pattern with \`<noun>\`. */
function filesOf(name: string): RegExp[] {
  const row = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`) || line.startsWith(`| ${name}:`));
  assert.ok(row !== undefined, `the table has a row: ${name}`);
  return [...row.matchAll(/`((?:src|page)\/[^`]+)`/g)].map(([, path = '']) => {
    const isFile = path.endsWith('.ts');
    return new RegExp(`^${path.replace('<noun>', '[\\w-]+').replaceAll('.', '\\.')}${isFile ? '$' : '/'}`);
  });
}

for (const change of CHANGES) {
  test(`${change.name}: the table names the files, and generation prints what was added`, () => {
    const named = filesOf(change.name);
    for (const { file } of change.edits)
      assert.ok(
        named.some((pattern) => pattern.test(file)),
        `${file} is named`,
      );
    for (const [document, pattern] of Object.entries(change.printed))
      assert.ok(pattern.test(printed[document] ?? ''), `${document} has ${pattern}`);
  });
}

test('the edited files are enough for the compiler', () => {
  const { options } =
    ts.getParsedCommandLineOfConfigFile(
      join(folder.path, 'tsconfig.json'),
      {},
      {
        ...ts.sys,
        onUnRecoverableConfigFileDiagnostic: ({ messageText }) => assert.fail(String(messageText)),
      },
    ) ?? assert.fail();
  const files = [
    ...new Set(CHANGES.flatMap(({ edits }) => edits.map(({ file }) => join(folder.path, file)))),
  ];
  const program = ts.createProgram(files, options);
  const faultsIn = (path: string): string[] => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
    );
  };
  assert.deepEqual(files.flatMap(faultsIn), []);
});

/** The style of the code as a test: floors, cycles, sizes, names and banned calls (ARCHITECTURE.md, Floors). */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { PLAN } from '../src/domain/contract/plan.ts';
import { RECORD } from '../src/domain/contract/record.ts';
import { toSnakeCase } from '../src/domain/field.ts';
import { ANALYSIS_OPTIONS } from '../src/domain/records/analysis-options.ts';

const root = join(import.meta.dirname, '..');
const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
/** A table, or a function that is one switch or one literal, is one thought however many rows it has. */
const TABLE_LINES_MAX = 600;
const TABLE_FUNCTION_LINES_MAX = 140;
const TABLES = /^(src\/(domain\/contract|operations)\/|page\/texts\/)/;
/** More rooms than a reader can hold in the head are no plan. */
const FOLDER_FILES_MAX = 25;

const isGenerated = (file: string): boolean => /^(src\/(grpc|worker\/convert)|page)\/gen\//.test(file);
const sources = globSync('{src,page}/**/*.{ts,tsx}', { cwd: root }).sort();
const everything = [
  ...sources,
  ...globSync('{test,bench,evaluate,schema,packaging,examples}/**/*.ts', { cwd: root }),
];
const textOf = new Map(everything.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

interface Import {
  to: string;
  /** A path in a string: the file is started as a process or read, not imported. */
  isPath: boolean;
}

const parsedFiles = new Map<string, ts.SourceFile>();

function parsedOf(file: string): ts.SourceFile {
  const parsed =
    parsedFiles.get(file) ?? ts.createSourceFile(file, textOf.get(file) ?? '', ts.ScriptTarget.ESNext, true);
  parsedFiles.set(file, parsed);
  return parsed;
}

const importsOf = new Map(everything.map((file) => [file, readImports(file)]));

function readImports(file: string): Import[] {
  const parsed = parsedOf(file);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const isStatic = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    if (isStatic && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, false);
    }
    if (ts.isStringLiteral(node) && /^\.{1,2}\/.*\.tsx?$/.test(node.text) && !isInImport(node)) {
      add(node.text, !isDynamicImport(node.parent));
    }
    ts.forEachChild(node, visit);
  };
  const add = (specifier: string, isPath: boolean): void => {
    if (!specifier.startsWith('.')) return;
    found.push({ to: relative(root, join(root, dirname(file), specifier)), isPath });
  };
  visit(parsed);
  return found;
}

function isDynamicImport(node: ts.Node): boolean {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}

function isInImport(node: ts.Node): boolean {
  return ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent);
}

/** What each floor may import besides itself, as the table in ARCHITECTURE.md says; those that may import all are left out. */
const FLOORS = readFloors(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

function readFloors(text: string): Map<string, string[]> {
  const [, table = ''] = text.split('| floor | folder | owns | may import |\n');
  const floors = new Map<string, string[]>();
  for (const row of table.slice(0, table.indexOf('\n\n')).split('\n').slice(1)) {
    const [, , folders = '', , below = ''] = row.split('|').map((cell) => cell.trim());
    if (below === 'all') continue;
    const places = below === '–' ? [] : expandNames(below).map((name) => normalize(`src/${name}`));
    for (const folder of expandNames(folders)) floors.set(folder, places);
  }
  return floors;
}

/** `a/{b,c}.ts, d` names three. */
function expandNames(cell: string): string[] {
  return cell
    .replaceAll('`', '')
    .split(/,\s*(?![^{]*\})/)
    .flatMap((name) => {
      const braces = /^(.*)\{(.*)\}(.*)$/.exec(name);
      if (braces === null) return [name];
      const [, before = '', inside = '', after = ''] = braces;
      return inside.split(',').map((part) => `${before}${part}${after}`);
    });
}

const isUnder = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);

test('the table of floors names every folder, and nothing that is not there', () => {
  const folders = globSync('{src/{*,facade/*},page}/', { cwd: root }).map((folder) =>
    folder.replace(/\/$/, ''),
  );
  const floors = [...FLOORS.keys(), 'src/config', 'src/facade'];
  const unnamed = folders.filter((folder) => !floors.includes(folder));
  assert.deepEqual(unnamed, []);
  const named = [...FLOORS].flatMap(([floor, below]) => [floor, ...below]);
  assert.deepEqual(
    named.filter((place) => !existsSync(join(root, place))),
    [],
  );
});

test('the files that ARCHITECTURE.md names are there', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const named = [...text.matchAll(/`([\w/{},.*-]+\/[\w{},.*-]+\.(?:ts|tsx|py))`/g)];
  const missing = named
    .flatMap(([, cell = '']) => expandNames(cell))
    .filter((name) => globSync(`{.,src}/${name}`, { cwd: root }).length === 0);
  assert.deepEqual(missing, []);
});

test('each floor imports only the floors below it', () => {
  const faults: string[] = [];
  for (const [floor, below] of FLOORS) {
    for (const file of sources.filter((source) => isUnder(source, floor))) {
      for (const { to, isPath } of importsOf.get(file) ?? []) {
        if (!isPath && ![floor, ...below].some((place) => isUnder(to, place)))
          faults.push(`${file} imports ${to}`);
      }
    }
  }
  assert.deepEqual(faults, []);
});

test('only the store knows lmdb', () => {
  const users = sources.filter((file) => /from 'lmdb'/.test(textOf.get(file) ?? ''));
  assert.deepEqual(
    users.filter((file) => !isUnder(file, 'src/store')),
    [],
  );
});

/** Each answers with an iterator, or a transaction, that keeps a snapshot until it is ended. */
const LMDB_READS = ['getRange', 'getKeys', 'getValues', 'getValuesCount', 'useReadTransaction'];
const RANGES = 'src/store/tables/ranges.ts';

test('no iterator of LMDB leaves src/store/tables/ranges.ts', () => {
  const faults: string[] = [];
  for (const file of sources.filter((name) => isUnder(name, 'src/store'))) {
    const parsed = parsedOf(file);
    const visit = (node: ts.Node, within: ts.FunctionDeclaration | undefined): void => {
      const isRead =
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        LMDB_READS.includes(node.expression.name.text);
      if (isRead && !(file === RANGES && isReadToItsEnd(node, within)))
        faults.push(`${file}: ${node.getText()}`);
      ts.forEachChild(node, (child) => visit(child, ts.isFunctionDeclaration(node) ? node : within));
    };
    visit(parsed, undefined);
  }
  assert.deepEqual(faults, []);
});

/** Spread or looped over in a function that cannot pause: JavaScript then ends the iterator, also where the loop throws. */
function isReadToItsEnd(call: ts.CallExpression, within: ts.FunctionDeclaration | undefined): boolean {
  const isLooped = ts.isForOfStatement(call.parent) && call.parent.expression === call;
  if (within === undefined || !(isLooped || ts.isSpreadElement(call.parent))) return false;
  const canPause = within.asteriskToken !== undefined || /\bawait\b/.test(within.getText());
  return !canPause;
}

test('no cycle over imports, those of types included', () => {
  const state = new Map<string, 'open' | 'closed'>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'closed') return;
    if (state.get(file) === 'open') {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const { to, isPath } of importsOf.get(file) ?? []) if (!isPath) visit(to, [...path, file]);
    state.set(file, 'closed');
  };
  for (const file of everything) visit(file, []);
  assert.deepEqual(cycles, []);
});

test('no folder imports another in a circle, directly or by way of others', () => {
  const below = new Map<string, Set<string>>();
  for (const file of sources.filter((name) => !isGenerated(name))) {
    const targets = (importsOf.get(file) ?? []).filter(({ to, isPath }) => !isPath && !isGenerated(to));
    const folders = targets.map(({ to }) => dirname(to)).filter((folder) => folder !== dirname(file));
    below.set(dirname(file), new Set([...(below.get(dirname(file)) ?? []), ...folders]));
  }
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    const visit = (folder: string): void => {
      for (const next of below.get(folder) ?? []) {
        if (reached.has(next)) continue;
        reached.add(next);
        visit(next);
      }
    };
    visit(start);
    return reached;
  };
  const knotted = [...below.keys()].filter((folder) => reachedFrom(folder).has(folder));
  assert.deepEqual(knotted.sort(), []);
});

/** `...{ a, b }` in a literal: the compiler lets surplus names through there. */
test('no names are packed into a spread object', () => {
  const packed: string[] = [];
  for (const file of sources.filter((name) => !isGenerated(name))) {
    const parsed = parsedOf(file);
    const visit = (node: ts.Node): void => {
      if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
        packed.push(`${file}: ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(parsed);
  }
  assert.deepEqual(packed, []);
});

/** A process of its own: importing it would run it. */
const PROCESS = /^src\/(worker\/(decode|inference)|evidence\/report\/pdf-child|cli\/main)\.ts$/;

test('every module of the program loads', async () => {
  enableCompileCache(join(root, 'node_modules', '.cache', 'assay-tests'));
  const modules = sources.filter((file) => file.startsWith('src/') && !PROCESS.test(file));
  await Promise.all(modules.map((file) => import(join(root, file))));
});

test('no dead file', () => {
  const entries = [
    'src/main.ts',
    'src/cli/main.ts',
    'page/main.tsx',
    'page/early.ts',
    'src/evidence/report/pdf-child.ts',
    'src/worker/decode.ts',
    'src/worker/inference.ts',
  ];
  const used = new Set(sources.flatMap((file) => (importsOf.get(file) ?? []).map(({ to }) => to)));
  const dead = sources.filter((file) => !isGenerated(file) && !entries.includes(file) && !used.has(file));
  // A file whose only importer is a printer in schema/ documents itself there.
  const printed = new Set(
    globSync('schema/*.ts', { cwd: root }).flatMap((file) => (importsOf.get(file) ?? []).map(({ to }) => to)),
  );
  assert.deepEqual(
    dead.filter((file) => !printed.has(file)),
    [],
  );
});

test('no folder holds more than a reader can survey', () => {
  const folders = Map.groupBy(globSync('{src,page,test}/**/*.{ts,tsx,css}', { cwd: root }), dirname);
  assert.deepEqual(
    [...folders].filter(([, files]) => files.length > FOLDER_FILES_MAX).map(([name]) => name),
    [],
  );
});

test('files and functions fit', () => {
  const faults: string[] = [];
  for (const file of everything.filter((name) => !isGenerated(name))) {
    const text = textOf.get(file) ?? '';
    const lines = text.split('\n').length;
    if (lines > (TABLES.test(file) ? TABLE_LINES_MAX : FILE_LINES_MAX))
      faults.push(`${file}: ${lines} lines`);
    const parsed = parsedOf(file);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const from = parsed.getLineAndCharacterOfPosition(node.getStart()).line;
        const to = parsed.getLineAndCharacterOfPosition(node.getEnd()).line;
        const most = isOneThought(node.body) ? TABLE_FUNCTION_LINES_MAX : FUNCTION_LINES_MAX;
        if (to - from + 1 > most) faults.push(`${file}:${from + 1}: ${to - from + 1} lines`);
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed);
  }
  assert.deepEqual(faults, []);
});

/** One switch over the states, or one literal that is returned. */
function isOneThought(body: ts.Node): boolean {
  if (!ts.isBlock(body)) return ts.isObjectLiteralExpression(body) || ts.isArrayLiteralExpression(body);
  const [only, ...others] = body.statements;
  if (only === undefined || others.length > 0) return false;
  const value = ts.isReturnStatement(only) ? only.expression : undefined;
  const isLiteral =
    value !== undefined && (ts.isObjectLiteralExpression(value) || ts.isArrayLiteralExpression(value));
  return ts.isSwitchStatement(only) || isLiteral;
}

/** What must not stand in a source, and where it may. */
const BANNED: { pattern: RegExp; instead: string; allowed: RegExp }[] = [
  {
    pattern: /process\.env\b/,
    instead: 'a setting in src/config',
    allowed: /^src\/(config|cli|serve\.ts|engine\/(decode\/isolation|inference\/inference-environment))/,
  },
  {
    pattern: /process\.exit\(/,
    instead: 'process.exitCode',
    allowed: /^src\/(main\.ts|cli\/main\.ts|worker\/)/,
  },
  { pattern: /\bconsole\./, instead: 'the log', allowed: /^src\/cli\// },
  { pattern: /export default/, instead: 'a named export', allowed: /^$/ },
  { pattern: /\b(FIXME|XXX)\b/, instead: 'an issue', allowed: /^$/ },
  {
    pattern:
      /\b(standBehind|bearWitness|hurry|\w*(Workshop|RemotePlaces|ExecutionPlace|Sightings?|[uU]nnoticed))\b/,
    instead: 'the word of docs/glossary.md',
    // Names of stored tables are frozen.
    allowed: /^src\/store\/tables\/schema\.ts/,
  },
  { pattern: /(description: |describe\(\s*)'Of /, instead: 'the subject first', allowed: /^$/ },
  {
    pattern: /\b(told|tells?|reckon\w*)\b|^\s*(\/?\*\*?|\/\/) .*\b(whoever|nobody)\b/im,
    instead: 'a word of docs/glossary.md',
    // The description of REST is frozen; a changed reading raises the version of the rules.
    allowed: /^src\/(facade\/rest\/openapi\/webhooks|domain\/verdicts\/assessment-notes)\.ts$/,
  },
  // A decode child may exchange what lies at a path of its slot.
  { pattern: /from 'node:fs[\s\S]*\.outPath\(/, instead: 'openOut', allowed: /^$/ },
  { pattern: /join\([^;)]*'(in|out)'/, instead: 'openOut', allowed: /^src\/(worker\/|engine\/decode\/)/ },
  { pattern: /\benum [A-Z]/, instead: 'an as const object', allowed: /^$/ },
  {
    pattern: /^\s*(export )?const \w+: (Readonly<|Partial<)*Record<string, [^=]+> =|manifests\)?\[/m,
    instead: 'a Map: a foreign key such as `toString` finds what every object inherits',
    allowed:
      /^src\/(facade\/rest\/openapi\/|facade\/graphql\/nouns|facade\/grpc\/operations|grpc\/messages|worker\/inference\/)/,
  },
];

test('nothing banned', () => {
  const faults: string[] = [];
  for (const file of sources.filter((name) => !isGenerated(name))) {
    for (const { pattern, instead, allowed } of BANNED) {
      if (!allowed.test(file) && pattern.test(textOf.get(file) ?? ''))
        faults.push(`${file}: ${pattern}; use ${instead}`);
    }
    if (/(^|\/)(utils?|helpers?|common|misc|manager)(\/|\.ts$)/.test(file))
      faults.push(`${file}: a name that says nothing`);
  }
  assert.deepEqual(faults, []);
});

/** Who lists a noun's fields beside its table, and why. */
const LISTS_ALLOWED: readonly string[] = [
  // The table of the options: a stored record has them, so they lie below the other tables.
  'src/domain/records/analysis-options.ts',
  // Gives every field of a record its value.
  'src/app/records/record.ts',
  // Chooses what a person is shown of a plan.
  'src/cli/views/account-view.ts',
];

test('the fields of a noun are listed in its table only', () => {
  const faults: string[] = [];
  for (const [noun, table] of Object.entries({ option: ANALYSIS_OPTIONS, plan: PLAN, record: RECORD })) {
    // A name of one word may be anything's.
    const names = Object.keys(table).filter((name) => toSnakeCase(name) !== name);
    for (const file of sources) {
      if (isGenerated(file) || isUnder(file, 'src/domain/contract') || LISTS_ALLOWED.includes(file)) continue;
      const words = new Set((textOf.get(file) ?? '').match(/\w+/g));
      const listed = names.filter((name) => words.has(name) || words.has(toSnakeCase(name)));
      if (listed.length >= names.length - 1) faults.push(`${file} lists the fields of a ${noun}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('no test is skipped for good or run alone', () => {
  const pattern = /\b(test|it|describe)\.(only|skip|todo)\b/;
  const own = relative(root, import.meta.filename);
  const faults = everything.filter((file) => file !== own && pattern.test(textOf.get(file) ?? ''));
  assert.deepEqual(faults, []);
});

/** Gathers the values of all settings from the file and the variables, with each fault and each origin. */
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { codeOf } from '../domain/error-code.ts';
import { findNearestName } from './nearest-name.ts';
import type { Parser } from './parsers.ts';
import { Secret } from './secret.ts';
import type { SettingFault } from './settings-error.ts';
import { OTHER_VARIABLES, SETTINGS, type SettingName, type SettingValues, variableOf } from './table.ts';

/** The sources of settings; the file is looked for only at `path`. */
export interface SettingSources {
  env: Readonly<Record<string, string | undefined>>;
  file: { path: string; toml: string } | null;
  /** Reads secrets that are given as files. */
  readFile: (path: string) => string;
}

export interface CollectedSettings {
  values: SettingValues;
  /** Where each value came from: `assay.toml line 4`, `ASSAY_HTTP_LISTEN` or `default`. */
  origins: Record<SettingName, string>;
  faults: SettingFault[];
}

interface FileValues {
  values: Map<string, unknown>;
  placeOf: (key: string) => string;
  faults: SettingFault[];
}

const NO_FILE: FileValues = { values: new Map(), placeOf: () => 'default', faults: [] };
const KEYS = Object.values(SETTINGS).map((setting) => setting.key);
const SHOWN_CHARACTERS_MAX = 60;
const SECRET_KEYS: readonly string[] = Object.values(SETTINGS)
  .filter(({ parser }: { parser: Parser<unknown> }) => parser.isSecret)
  .map(({ key }) => key);
const SECRET_FILE_KEYS: readonly string[] = SECRET_KEYS.map((key) => `${key}_file`);

/** A variable wins over the file, the file over the default. An empty variable counts as not set. */
export function collectSettings(sources: SettingSources): CollectedSettings {
  const file = sources.file === null ? NO_FILE : readFileValues(sources.file);
  const faults = [...file.faults, ...unknownVariables(sources.env)];
  const values = new Map<string, unknown>();
  const origins = new Map<string, string>();
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const { key } = setting;
    // The rows have different value types; a row's parser and default always agree, so one type serves here.
    const parser: Parser<unknown> = setting.parser;
    const variable = variableOf(key);
    const { found, place } = findValue(key, variable, sources, file, faults);
    const value = found === undefined ? setting.default : parser.parse(found);
    if (value === undefined) faults.push({ key, place, expected: parser.expected, found: show(key, found) });
    values.set(name, value ?? setting.default);
    origins.set(name, place);
  }
  return {
    values: Object.fromEntries(values) as SettingValues,
    origins: Object.fromEntries(origins) as Record<SettingName, string>,
    faults,
  };
}

/** The value itself wins over a file with it. */
function findValue(
  key: string,
  variable: string,
  { env, readFile }: SettingSources,
  file: FileValues,
  faults: SettingFault[],
): { found: unknown; place: string } {
  const fromVariable = env[variable] || undefined;
  if (fromVariable !== undefined) return { found: fromVariable, place: variable };
  const found = file.values.get(key);
  if (found !== undefined) return { found, place: file.placeOf(key) };
  if (!SECRET_KEYS.includes(key)) return { found: undefined, place: 'default' };
  const fromFile = (name: string) => {
    const path = file.values.get(`${name}_file`);
    return path === undefined ? undefined : { path, place: file.placeOf(`${name}_file`) };
  };
  const secret = readSecretFile(key, variable, { env, readFile, fromFile }, faults);
  return secret === undefined
    ? { found: undefined, place: 'default' }
    : { found: secret.value, place: secret.place };
}

function readFileValues(file: { path: string; toml: string }): FileValues {
  let table: unknown;
  try {
    table = parse(file.toml);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [firstLine = ''] = error.message.split('\n');
    const found = firstLine.replace('Invalid TOML document: ', '');
    const place = `${file.path} line ${error.line}`;
    return { ...NO_FILE, faults: [{ key: 'the file', place, expected: 'TOML', found }] };
  }
  const lines = findKeyLines(file.toml);
  const placeOf = (key: string) => `${file.path} line ${lineOfKey(lines, key) ?? 1}`;
  const values = new Map<string, unknown>();
  flatten(table, '', values);
  const isKnown = (key: string) => KEYS.includes(key) || SECRET_FILE_KEYS.includes(key);
  const faults = [...values].filter(([key]) => !isKnown(key)).map(([key]) => unknownKey(key, placeOf));
  return { values, placeOf, faults };
}

/** Collects leaves under their dotted keys. A known key ends the descent, so that its wrong type is reported there. */
function flatten(value: unknown, prefix: string, into: Map<string, unknown>): void {
  if (!isTable(value) || KEYS.includes(prefix)) {
    into.set(prefix, value);
    return;
  }
  for (const [key, child] of Object.entries(value)) flatten(child, prefix ? `${prefix}.${key}` : key, into);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function unknownKey(key: string, placeOf: (key: string) => string): SettingFault {
  // A right name in the wrong table is the more frequent slip, and has a large edit distance.
  const leaf = key.slice(key.lastIndexOf('.') + 1);
  const nearest =
    findNearestName(key, KEYS, Math.max(2, Math.floor(key.length / 3))) ??
    KEYS.find((known) => known === leaf || known.endsWith(`.${leaf}`));
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return { key, place: placeOf(key), expected: 'a known setting', found: `an unknown one${hint}` };
}

/** Mistyped variables, near misses only: container platforms set some with our prefix (ASSAY_SERVICE_HOST). */
function unknownVariables(env: SettingSources['env']): SettingFault[] {
  const variables = KEYS.map(variableOf);
  const secretFiles = SECRET_KEYS.map((key) => `${variableOf(key)}_FILE`);
  const known: readonly string[] = [...variables, ...secretFiles, ...OTHER_VARIABLES];
  return Object.keys(env)
    .filter((name) => name.startsWith('ASSAY_') && !known.includes(name))
    .flatMap((name) => {
      const nearest = findNearestName(name, variables, 2);
      if (nearest === undefined) return [];
      const found = `an unknown one (did you mean ${nearest}?)`;
      return [{ key: name, place: 'variable', expected: 'a known variable', found }];
    });
}

/** A value as an error shows it: quoted and bounded; a secret only by its length. */
function show(key: string, value: unknown): string {
  const isSecret = SECRET_KEYS.includes(key);
  if (isSecret) return typeof value === 'string' ? `${value.length} characters` : `a ${typeof value}`;
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > SHOWN_CHARACTERS_MAX ? `${shown.slice(0, SHOWN_CHARACTERS_MAX)}…` : shown;
}

/** A setting's value as check-config shows it. */
export function showValue(value: unknown): string {
  if (value === null) return '';
  if (value instanceof Secret) return value.toString();
  if (Array.isArray(value)) return value.join(', ');
  if (isTable(value) && typeof value.host === 'string') return formatListen(value.host, value.port);
  return String(value);
}

function formatListen(host: string, port: unknown): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The line of a key: the TOML parser gives no positions. Reads only table headers and left sides of assignments. */

const HEADER = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/;
const ASSIGNMENT =
  /^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=/;

/** Maps each dotted key and table of the text to its line, counted from 1. */
function findKeyLines(toml: string): Map<string, number> {
  const lines = new Map<string, number>();
  let table = '';
  for (const [index, line] of toml.split('\n').entries()) {
    const header = HEADER.exec(line)?.[1];
    const assigned = ASSIGNMENT.exec(line)?.[1];
    if (header !== undefined) table = normalise(header);
    const key = assigned === undefined ? undefined : [table, normalise(assigned)].filter(Boolean).join('.');
    const name = key ?? (header === undefined ? undefined : table);
    if (name !== undefined && !lines.has(name)) lines.set(name, index + 1);
  }
  return lines;
}

/** The line of the key, or of the nearest table or inline table that holds it. */
function lineOfKey(lines: ReadonlyMap<string, number>, key: string): number | undefined {
  for (let name = key; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const line = lines.get(name);
    if (line !== undefined) return line;
  }
  return undefined;
}

function normalise(dotted: string): string {
  return dotted
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.');
}

/** Secrets by file: `admin.password_file`, `ASSAY_ADMIN_PASSWORD_FILE` or systemd credentials; children see variables. */
type Environment = Readonly<Record<string, string | undefined>>;

interface SecretFileSources {
  env: Environment;
  /** Text of a file, or an error with a code. */
  readFile: (path: string) => string;
  /** The path that the settings file gives under `<key>_file`, and where. */
  fromFile: (key: string) => { path: unknown; place: string } | undefined;
}

interface SecretText {
  value: string;
  place: string;
}

/** systemd's own name for the folder. */
const CREDENTIALS_FOLDER = 'CREDENTIALS_DIRECTORY';
const EXPECTED = 'a readable file that holds the secret';

/** Undefined if no file is named or it is at fault. The last line break is dropped. */
function readSecretFile(
  key: string,
  variable: string,
  sources: SecretFileSources,
  faults: SettingFault[],
): SecretText | undefined {
  const named = nameFile(key, variable, sources);
  if (named === undefined) return undefined;
  const { path, place, isOptional } = named;
  if (typeof path !== 'string') {
    faults.push({ key: `${key}_file`, place, expected: 'a path', found: JSON.stringify(path) });
    return undefined;
  }
  try {
    return { value: sources.readFile(path).replace(/\r?\n$/, ''), place: `${place}, ${path}` };
  } catch (error) {
    const code = codeOf(error);
    if (!isOptional || code !== 'ENOENT')
      faults.push({ key: `${key}_file`, place, expected: EXPECTED, found: `${path}: ${code}` });
    return undefined;
  }
}

/** A credential may be absent, as the unit may not load it; a named file must exist. */
function nameFile(
  key: string,
  variable: string,
  { env, fromFile }: SecretFileSources,
): { path: unknown; place: string; isOptional: boolean } | undefined {
  const fromVariable = env[`${variable}_FILE`];
  if (fromVariable) return { path: fromVariable, place: `${variable}_FILE`, isOptional: false };
  const inFile = fromFile(key);
  if (inFile !== undefined) return { ...inFile, isOptional: false };
  const folder = env[CREDENTIALS_FOLDER];
  if (!folder) return undefined;
  return { path: join(folder, key), place: CREDENTIALS_FOLDER, isOptional: true };
}

/**
 * Secrets that are handed over as files: a setting `admin.password_file`, a variable `ASSAY_ADMIN_PASSWORD_FILE`, or
 * what systemd puts into its credentials folder (systemd.exec(5), LoadCredential=) under the setting's name. A
 * variable with the secret itself is seen by every child of the process that sets it; a file is not.
 */
import { join } from 'node:path';
import { codeOf } from '../domain/error-code.ts';
import type { SettingFault } from './settings-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SecretFileSources {
  env: Environment;
  /** Text of a file, or an error with a code. */
  readFile: (path: string) => string;
  /** The path that the settings file gives under `<key>_file`, and where. */
  fromFile: (key: string) => { path: unknown; place: string } | undefined;
}

export interface SecretText {
  value: string;
  place: string;
}

/** systemd's own name for the folder. */
const CREDENTIALS_FOLDER = 'CREDENTIALS_DIRECTORY';
const EXPECTED = 'a readable file that holds the secret';

/** Undefined if no file is named or it is at fault. The last line break is dropped. */
export function readSecretFile(
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

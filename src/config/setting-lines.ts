/** Settings as lines of their file, and what each is now. */
import type { Setting } from '../domain/contract/appliance.ts';
import { showValue } from './collect.ts';
import type { SettingRow } from './setting-row.ts';
import { variableOf } from './table.ts';

export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(showValue(value));
}

/** The table that the key belongs to, and the key with its value. */
export function settingLines(key: string, value: string): string {
  const dot = key.lastIndexOf('.');
  const line = `${key.slice(dot + 1)} = ${value}`;
  return dot < 0 ? line : `[${key.slice(0, dot)}]\n${line}`;
}

/** The lines say the value as it is, or one to begin with; a secret is never printed. */
export function explainSetting(
  { key, parser, description, example }: SettingRow<unknown>,
  value: unknown,
  origin: string,
  file: string | null,
): Setting {
  const isHidden = value === null || parser.isSecret === true;
  const isUnset = value === null || (Array.isArray(value) && value.length === 0);
  const begin = example ?? JSON.stringify(parser.expected);
  const lines = settingLines(key, isHidden || (isUnset && example !== undefined) ? begin : tomlValue(value));
  const takes = parser.expected;
  return { key, value: showValue(value), origin, file, lines, variable: variableOf(key), takes, description };
}

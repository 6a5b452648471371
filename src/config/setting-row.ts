import type { Parser } from './parsers.ts';

export interface SettingRow<T> {
  key: string;
  parser: Parser<T>;
  default: T;
  /** The default in documents, if it depends on the machine or is empty. */
  defaultText?: string;
  description: string;
  /** A starting value as TOML, for a setting without a default that a page names. */
  example?: string;
}

/** Keeps each row's value type, and lets a row without a default be null. */
export function row<T>(
  key: string,
  parser: Parser<T>,
  initial: T,
  description: string,
  defaultText?: string,
) {
  const rest = defaultText === undefined ? {} : { defaultText };
  return { key, parser, default: initial, description, ...rest } satisfies SettingRow<T>;
}

export function optional<T>(key: string, parser: Parser<T>, description: string, defaultText = '') {
  return row<T | null>(key, parser, null, description, defaultText);
}

/** Adds a starting value, as TOML. */
export function withExample<Row extends { key: string }>(setting: Row, example: string) {
  return { ...setting, example };
}

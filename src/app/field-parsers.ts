/** Parsers of single fields, raw as text or typed, under the names of docs/interface.md; faults say expected and found. */
import { badField } from '../domain/errors.ts';
import { isHex64 } from '../domain/identifiers.ts';
import { PAGE_SIZE_MAX } from '../domain/limits.ts';
import { LABELS, type Label } from '../domain/media/media.ts';

export type RawFields = Readonly<Record<string, unknown>>;

/** A value for a fault: quoted and bounded. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** One line of text without control characters; undefined if the field is absent. */
export function parseLine(fields: RawFields, field: string, charactersMax: number): string | undefined {
  const value = fields[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw badField(field, `expected text, found ${show(value)}`);
  const line = value.trim();
  if (line === '') throw badField(field, 'expected text, found nothing');
  if (line.length > charactersMax) {
    throw badField(field, `expected at most ${charactersMax} characters, found ${line.length}`);
  }
  if (/\p{Cc}/u.test(line)) throw badField(field, 'expected one line, found control characters');
  return line;
}

/** Like parseLine, but null or an empty text clears the field. */
export function parseNullableLine(
  fields: RawFields,
  field: string,
  charactersMax: number,
): string | null | undefined {
  const value = fields[field];
  if (value === null || (typeof value === 'string' && value.trim() === '')) return null;
  return parseLine(fields, field, charactersMax);
}

export function parseWhole(
  fields: RawFields,
  field: string,
  minimum: number,
  maximum: number,
): number | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < minimum || number > maximum) {
    throw badField(field, `expected a whole number from ${minimum} to ${maximum}, found ${show(value)}`);
  }
  return number;
}

export function parseChoice<const T extends string>(
  fields: RawFields,
  field: string,
  choices: readonly T[],
): T | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  const choice = choices.find((allowed) => allowed === value);
  if (choice === undefined) {
    throw badField(field, `expected one of ${choices.join(', ')}, found ${show(value)}`);
  }
  return choice;
}

/** A list, or text separated by commas; without repetitions. */
export function parseChoices<const T extends string>(
  fields: RawFields,
  field: string,
  choices: readonly T[],
): T[] | undefined {
  const parts = parseTextList(fields, field);
  return parts === undefined
    ? undefined
    : parts.map((part) => {
        const choice = choices.find((allowed) => allowed === part);
        if (choice !== undefined) return choice;
        throw badField(field, `expected of ${choices.join(', ')}, found ${show(part)}`);
      });
}

/** A person writes no longer list. */
const LIST_MAX = 100;

export function parseTextList(fields: RawFields, field: string): string[] | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  const parts = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) {
    throw badField(field, `expected a list, or text separated by commas, found ${show(value)}`);
  }
  const list = [...new Set(parts.filter((part) => part !== ''))];
  if (list.length > LIST_MAX)
    throw badField(field, `expected at most ${LIST_MAX} entries, found ${list.length}`);
  return list;
}

export function parseId(fields: RawFields, field = 'id', min: 0 | 1 = 1): number {
  const id = parseWhole(fields, field, min, Number.MAX_SAFE_INTEGER);
  if (id === undefined) throw badField(field, 'expected a whole number, found nothing');
  return id;
}

export function assertPageSize(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_SIZE_MAX) return;
  throw badField('limit', `expected a whole number from 1 to ${PAGE_SIZE_MAX}, found ${limit}`);
}

/** `true`, `1`, `on` / `false`, `0`, empty (docs/interface.md, Submit); anything else is the caller's fault. */
export function parseBoolean(fields: RawFields, field: string): boolean {
  const value = fields[field];
  if (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === '0' ||
    value === 'false'
  ) {
    return false;
  }
  if (value === true || value === 'true' || value === '1' || value === 'on') return true;
  throw badField(field, `expected true, 1, on, false, 0 or nothing, found ${show(value)}`);
}

/** Text within its bound, or undefined if it is absent or empty. */
export function parseText(fields: RawFields, field: string, charactersMax: number): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw badField(field, `expected text, found ${show(value)}`);
  if (value.length > charactersMax) {
    throw badField(field, `expected at most ${charactersMax} characters, found ${value.length}`);
  }
  return value;
}

export function parseLabel(value: unknown): Label {
  const label = LABELS.find((allowed) => allowed === value);
  if (label === undefined)
    throw badField('classification', `expected human or artificial, found ${show(value)}`);
  return label;
}

export function parseHash(value: string): string {
  const hash = value.toLowerCase();
  if (!isHex64(hash)) throw badField('hash', `expected 64 hex characters, found ${show(value)}`);
  return hash;
}

/** Checks a built record against its tables: one odd figure must not end the list or stream that it is part of. Pure. */
import { PROVENANCE_PARTS } from '../contract/provenance-parts.ts';
import { AUDIO, FINDINGS, IMAGE, RECORD, VIDEO } from '../contract/record.ts';
import { RECORD_PARTS } from '../contract/record-parts.ts';
import type { FieldRow, Fields, FieldType } from '../field.ts';
import { figureThatIsNotFinite } from '../finite-figures.ts';
import type { MediaKind } from '../media/media.ts';
import { ANALYSIS_OPTIONS } from '../records/analysis-options.ts';
import { isTime } from '../time.ts';
import type { ClassificationRecord } from './record.ts';

const IMAGE_RECORD = { ...RECORD, ...FINDINGS, ...IMAGE };
const AUDIO_RECORD = { ...RECORD, ...FINDINGS, ...AUDIO };
const TABLE_OF_KIND: Readonly<Record<MediaKind, Fields>> = {
  image: IMAGE_RECORD,
  audio: AUDIO_RECORD,
  video: { ...RECORD, ...FINDINGS, ...VIDEO },
};

const TABLES: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ...[...PROVENANCE_PARTS, ...RECORD_PARTS].map(({ name, fields }) => [name, fields] as const),
  ['AnalysisOptions', ANALYSIS_OPTIONS],
  ['ImageClassification', IMAGE_RECORD],
  ['AudioClassification', AUDIO_RECORD],
]);

/** The path of the first value that its row does not allow, with the value: `verdict.confidence is NaN`. */
export function faultOfRecord(record: ClassificationRecord): string | undefined {
  return faultOfFields(TABLE_OF_KIND[record.kind], record);
}

const rowsOfTables = new WeakMap<Fields, readonly [string, FieldRow][]>();

function rowsIn(table: Fields): readonly [string, FieldRow][] {
  const known = rowsOfTables.get(table);
  if (known !== undefined) return known;
  const rows = Object.entries(table);
  rowsOfTables.set(table, rows);
  return rows;
}

/** The fault of a value, or the path to the faulty part: `is NaN`, `.verdict.confidence is NaN`. */
type Fault = string | undefined;

function faultOfFields(table: Fields, value: object): Fault {
  // Walked without making entries: a video's record has tens of thousands of figures.
  for (const [name, row] of rowsIn(table)) {
    const fault = faultOf(row, value[name as keyof object]);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}

function within(name: string | number, fault: string): string {
  return fault.startsWith('is ') ? `${name} ${fault}` : `${name}.${fault}`;
}

function faultOf({ type, isList, isNullable, words }: FieldRow, value: unknown): Fault {
  if (value === null || value === undefined) return isNullable === true ? undefined : `is ${value}`;
  if (words !== undefined && !words.includes(value as string)) return `is ${shown(value)}, none of ${words}`;
  if (isList !== true) return faultOfOne(type, value);
  if (!Array.isArray(value)) return `is ${shown(value)}, no list`;
  for (let index = 0; index < value.length; index += 1) {
    const fault = faultOfOne(type, value[index]);
    if (fault !== undefined) return within(index, fault);
  }
  return undefined;
}

function faultOfOne(type: FieldType, value: unknown): Fault {
  if (typeof type === 'string') return IS_SIMPLE[type](value) ? undefined : faultOfSimple(type, value);
  if ('choice' in type) {
    const { words, name } = type.choice;
    return words.includes(value as string) ? undefined : `is ${shown(value)}, no ${name}`;
  }
  if (typeof value !== 'object' || value === null) return `is ${shown(value)}, no ${type.noun}`;
  const table = type.table?.fields ?? TABLES.get(type.noun);
  if (table === undefined) throw new Error(`no table defines ${type.noun}`);
  return faultOfFields(table, value);
}

type SimpleType = Extract<FieldType, string>;

/** Typed facades send it in 32 bits. */
const WHOLE_MAX = 2 ** 31;

const IS_SIMPLE: Readonly<Record<SimpleType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  whole: (value) => Number.isInteger(value) && Math.abs(value as number) < WHOLE_MAX,
  long: Number.isSafeInteger,
  number: Number.isFinite,
  moment: isTime,
  identifier: (value) => typeof value === 'string' || Number.isSafeInteger(value),
  json: (value) => figureThatIsNotFinite(value) === undefined,
};

function faultOfSimple(type: SimpleType, value: unknown): string {
  const figure = type === 'json' ? figureThatIsNotFinite(value) : undefined;
  return figure ?? `is ${shown(value)}, no ${type}`;
}

const SHOWN_CHARACTERS_MAX = 40;

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX));
  return typeof value === 'number' ? String(value) : typeof value;
}

/** The columns of sheets, for every writer: the daemon, the command line and the page. Pure. */

export type Cell = string | number | null;

/** Several values share a cell. */
export type Field = Cell | readonly string[];

/** Spreadsheets take a file without it for one of their country's old encodings. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Separates two reasons in one cell; no sentence contains it. */
const REASON_BREAK = ' | ';

export function toCell(value: Field): Cell {
  return typeof value === 'object' && value !== null ? value.join(REASON_BREAK) : value;
}

/** The four answers about a file's signed provenance: all empty if the file holds no manifest, or was not read. */
export const READING_COLUMNS = [
  ...(['provenance', 'unchanged', 'signed_by', 'signer', 'in_time', 'who'] as const),
] as const;

export type ReadingCells = Readonly<Record<(typeof READING_COLUMNS)[number], string>>;

/** The answers as any facade names them. */
interface ReadAnswers {
  state: string;
  unchanged: string;
  signedBy?: { answer: string; name: string } | undefined;
  inTime?: { answer: string } | undefined;
  who?: { answer: string } | undefined;
}

/** `signer` is the name in the certificate. `signed_by` says whether a trust list vouches for it. */
export function toReadingCells(readings: ReadAnswers | null | undefined): ReadingCells {
  const { state = '', unchanged = '', signedBy, inTime, who } = readings ?? {};
  return {
    provenance: state.toLowerCase(),
    unchanged: unchanged.toLowerCase(),
    signed_by: (signedBy?.answer ?? '').toLowerCase(),
    signer: signedBy?.name ?? '',
    in_time: (inTime?.answer ?? '').toLowerCase(),
    who: (who?.answer ?? '').toLowerCase(),
  };
}

/** Columns of a record in an export, in this order. */
export const EXPORT_COLUMNS = [
  ...(['identifier', 'created_at', 'name', 'kind', 'ref_id', 'sha256'] as const),
  ...(['verdict', 'outcome', 'assessment', 'probability', 'reasons', 'link', 'error'] as const),
  ...READING_COLUMNS,
] as const;

export type ExportedRecord = Readonly<Record<(typeof EXPORT_COLUMNS)[number], Field>>;

/** Columns that a row of a sheet of sources gets, in this order. */
export const RESULT_COLUMNS = [
  'assay_identifier',
  'verdict',
  'assessment',
  'probability',
  'reasons',
  'link',
  'error',
  ...READING_COLUMNS,
] as const;

export type RowResult = Readonly<Record<(typeof RESULT_COLUMNS)[number], Field>>;

/** A row without a verdict; `identifier` if it became a record. */
export function failedRow(error: string, identifier = ''): RowResult {
  return {
    assay_identifier: identifier,
    verdict: 'failed',
    assessment: '',
    probability: null,
    reasons: [],
    link: '',
    error,
    ...toReadingCells(null),
  };
}

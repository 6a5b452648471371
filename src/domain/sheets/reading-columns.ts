/** The four answers about a file's signed provenance as columns of a sheet. Pure, and the same for every writer. */

/** All empty where the file holds no manifest, or was not read. */
export const READING_COLUMNS = [
  ...(['provenance', 'unchanged', 'signed_by', 'signer', 'in_time', 'who'] as const),
] as const;

export type ReadingCells = Readonly<Record<(typeof READING_COLUMNS)[number], string>>;

/** Answers as any facade names them. */
interface ReadAnswers {
  state: string;
  unchanged: string;
  signedBy?: { answer: string; name: string } | undefined;
  inTime?: { answer: string } | undefined;
  who?: { answer: string } | undefined;
}

/** `signer` is the name in the certificate, whoever vouches for it: `signed_by` says whether one does. */
export function toReadingCells(readings: ReadAnswers | null | undefined): ReadingCells {
  const { state = '', unchanged = '', signedBy, inTime, who } = readings ?? {};
  return {
    ...{ provenance: state.toLowerCase(), unchanged: unchanged.toLowerCase() },
    signed_by: (signedBy?.answer ?? '').toLowerCase(),
    signer: signedBy?.name ?? '',
    in_time: (inTime?.answer ?? '').toLowerCase(),
    who: (who?.answer ?? '').toLowerCase(),
  };
}

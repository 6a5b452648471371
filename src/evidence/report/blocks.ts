/** The blocks of a report: HTML and PDF are made of the same ones, so that they say the same. */

export type Block =
  | { type: 'title'; text: string }
  /** `level` 1 begins a file of the case, 2 a part of it. */
  | { type: 'heading'; level: 1 | 2; text: string }
  /** The finding in words, in large letters. */
  | { type: 'finding'; text: string }
  | { type: 'paragraph'; text: string; isQuiet?: boolean }
  | { type: 'list'; items: string[] }
  /** Names and values; `isCode` in a fixed width, such as hashes. */
  | { type: 'facts'; rows: Fact[] }
  /** `language` is that of the rows, where it is known (ISO 639). */
  | { type: 'table'; head: string[]; rows: string[][]; widths?: ('auto' | '*')[]; language?: string }
  /** A place on a line from human to artificial, 0..1. */
  | { type: 'gauge'; place: number; marks: number[]; human: string; artificial: string; text: string }
  | { type: 'figures'; figures: Figure[] }
  /** Lines that each may begin with a small picture: a data address that this box made, or none. */
  | { type: 'thumbnails'; items: { data: string; text: string }[] };

export interface Fact {
  name: string;
  value: string;
  isCode?: boolean;
}

export interface Figure {
  /** The picture's name among the report's pictures. */
  picture: string;
  caption: string;
  /** Takes the whole width of the page. */
  isWide?: boolean;
}

/** Pictures by name: paths of PNG or JPEG files that this box made. Missing ones are left out. */
export type Pictures = ReadonlyMap<string, string>;

/** Bound on cells and paragraphs: longer texts are complete in the package's own files. */
export const TEXT_CHARACTERS_MAX = 2000;

export function bounded(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX)}…`;
}

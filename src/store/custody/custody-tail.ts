/** The custody log's end in one commit: entries are written together, or each would copy the same pages of five tables. */
import type { Tables } from '../tables/schema.ts';
import { type CustodyHead, HEAD_KEY, type KeptDetails } from '../tables/stored-custody.ts';

export interface UnwrittenEntry {
  sequence: number;
  line: string;
  details: KeptDetails;
  /** Subtrees that the entry completes. */
  nodes: readonly { level: number; index: number; hash: Uint8Array }[];
  /** Subjects that the entry is found under. */
  subjects: readonly string[];
}

/** Where a change began that may be undone alone. */
export interface TailMark {
  head: CustodyHead | null;
  unwritten: readonly UnwrittenEntry[];
}

export class CustodyTail {
  readonly #tables: Tables;
  #head: CustodyHead | null = null;
  #unwritten: UnwrittenEntry[] = [];

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The head after this commit's last entry; null if there is none yet, while the stored head is valid. */
  get head(): CustodyHead | null {
    return this.#head;
  }

  push(entry: UnwrittenEntry, head: CustodyHead): void {
    this.#unwritten.push(entry);
    this.#head = head;
  }

  mark(): TailMark {
    return { head: this.#head, unwritten: [...this.#unwritten] };
  }

  /** The undone change takes its written entries with it; those that waited before it wait again. */
  returnTo({ head, unwritten }: TailMark): void {
    this.#head = head;
    this.#unwritten = [...unwritten];
  }

  /** Call it before anything of the log is read, and before the commit. */
  write(): void {
    const entries = this.#unwritten;
    if (entries.length === 0 || this.#head === null) return;
    const { custodyEntries, custodyDetails, custodyNodes, custodyBySubject, custodyHead } = this.#tables;
    for (const { sequence, line } of entries) custodyEntries.put(sequence, line);
    for (const { sequence, details } of entries) custodyDetails.put(sequence, details);
    for (const { nodes } of entries) {
      for (const { level, index, hash } of nodes) custodyNodes.put([level, index], hash);
    }
    for (const { sequence, subjects } of entries) {
      for (const subject of subjects) custodyBySubject.put([subject, sequence]);
    }
    custodyHead.put(HEAD_KEY, this.#head);
    this.#unwritten = [];
  }

  /** Call it after every commit. */
  reset(): void {
    this.#head = null;
    this.#unwritten = [];
  }
}

/** Trust lists of tests' own authorities, and those that come with Assay. */
import { join } from 'node:path';
import {
  type TrustFile,
  type TrustList,
  type TrustMaterial,
  toMaterial,
} from '../src/domain/provenance/trust-list.ts';
import { readTrustContent } from '../src/machinery/trust/trust-content.ts';
import { readShippedLists } from '../src/machinery/trust/trust-lists.ts';

export const SHIPPED_FOLDER = join(import.meta.dirname, '../trust');

export function shippedTrust(): TrustMaterial {
  return toMaterial(readShippedLists(SHIPPED_FOLDER));
}

interface ListToMake extends Partial<Pick<TrustList, 'id' | 'kind'>> {
  /** PEM. */
  authorities?: string;
  single?: string;
}

export function makeTrustList({ id = 'test', kind = 'signers', authorities, single }: ListToMake): TrustList {
  const files: TrustFile[] = [
    ...(authorities === undefined ? [] : [{ holds: 'authorities' as const, text: authorities }]),
    ...(single === undefined ? [] : [{ holds: 'single' as const, text: single }]),
  ];
  const notes = { name: id, source: 'a test', date: '2026-01-01', terms: '', frozen: null };
  return { ...notes, id, kind, origin: 'added', isOn: true, ...readTrustContent(files) };
}

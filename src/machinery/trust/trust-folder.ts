/** The trust lists that come with Assay: `trust/lists.json` and the files that it names, each with its SHA-256. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  HOLDINGS,
  TRUST_LIST_KINDS,
  type TrustFile,
  type TrustList,
} from '../../domain/provenance/trust-list.ts';
import { readTrustContent } from './trust-content.ts';

const shippedLists = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum(TRUST_LIST_KINDS),
    source: z.string(),
    date: z.iso.date(),
    frozen: z.iso.date().optional(),
    terms: z.string(),
    files: z.array(z.strictObject({ path: z.string(), holds: z.enum(HOLDINGS), sha256: z.string() })).min(1),
  }),
);

/** Throws where a file is missing or is another than the one that came: a list that was changed must not decide. */
export function readShippedLists(folder: string): TrustList[] {
  const lists = shippedLists.parse(JSON.parse(readFileSync(join(folder, 'lists.json'), 'utf8')));
  return lists.map(({ files, frozen = null, ...notes }) => {
    const texts = files.map(({ path, holds, sha256 }): TrustFile => {
      const text = readFileSync(join(folder, path), 'utf8');
      const found = createHash('sha256').update(text).digest('hex');
      if (found !== sha256)
        throw new Error(`${join(folder, path)} is not the list that came with Assay: SHA-256 ${found}`);
      return { holds, text };
    });
    return { ...notes, frozen, origin: 'shipped', isOn: true, ...readTrustContent(texts) };
  });
}

/** Records of a search's finds, as they are read now: one for each analysis, with its best find. */
import { holderOf } from '../../domain/desk.ts';
import {
  FOUND_PICTURES_MAX,
  type FoundPicture,
  type PictureSearchAnswer,
} from '../../domain/records/found-picture.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import type { Likeness } from '../../domain/records/seen-before.ts';
import { findingOn } from '../callers/rights.ts';
import { unlessRefused } from './find-records.ts';
import type { PartHit } from './kept-pictures.ts';
import type { RecordParts } from './parts.ts';
import { currentRecord } from './record.ts';

/** Finds of one asked picture; odd queries are mirrored. */
export interface AskedHits {
  same: readonly { sequence: number; query: number; distance: number }[];
  parts: readonly PartHit[];
}

type Match = Pick<
  FoundPicture,
  'degree' | 'isMirrored' | 'distance' | 'places' | 'askedPart' | 'foundPart' | 'timeSeconds'
>;

export function describeFound(
  app: RecordParts,
  {
    accounts,
    hits,
    withoutAnalysisId,
  }: { accounts: ReadonlySet<number>; hits: readonly AskedHits[]; withoutAnalysisId: string | null },
): PictureSearchAnswer['found'] {
  const best = bestOfAnalyses(app, hits);
  if (withoutAnalysisId !== null) best.delete(withoutAnalysisId);
  const found: FoundPicture[] = [];
  for (const [analysisId, match] of [...best].toSorted(([, a], [, b]) => compare(a, b))) {
    if (found.length === FOUND_PICTURES_MAX) break;
    const shown = shownRecord(app, analysisId, accounts);
    if (shown !== undefined) found.push({ ...shown, ...match });
  }
  return found;
}

function bestOfAnalyses({ store }: RecordParts, hits: readonly AskedHits[]): Map<string, Match> {
  const best = new Map<string, Match>();
  const offer = ({ analysisId }: Likeness, match: Match) => {
    const known = best.get(analysisId);
    if (known === undefined || compare(match, known) < 0) best.set(analysisId, match);
  };
  for (const { same, parts } of hits) {
    for (const { sequence, query, distance } of same) {
      const likeness = store.read.likeness(sequence);
      if (likeness === undefined) continue;
      const whole = { places: null, askedPart: null, foundPart: null, timeSeconds: likeness.timeSeconds };
      offer(likeness, { degree: 'same_picture', isMirrored: query % 2 === 1, distance, ...whole });
    }
    for (const { sequence, query, places, asked, kept } of parts) {
      const likeness = store.read.likeness(sequence);
      if (likeness === undefined) continue;
      const part = { places, askedPart: asked, foundPart: kept, timeSeconds: likeness.timeSeconds };
      offer(likeness, { degree: 'shared_part', isMirrored: query % 2 === 1, distance: null, ...part });
    }
  }
  return best;
}

function compare(a: Match, b: Match): number {
  if (a.degree !== b.degree) return a.degree === 'same_picture' ? -1 : 1;
  return (a.distance ?? 0) - (b.distance ?? 0) || (b.places ?? 0) - (a.places ?? 0);
}

/** The newest record that may be shown. */
function shownRecord(
  app: RecordParts,
  analysisId: string,
  accounts: ReadonlySet<number>,
): Omit<FoundPicture, keyof Match> | undefined {
  const { read } = app.store;
  const newest = read
    .classificationsOfAnalysis(analysisId)
    .filter((one) => accounts.has(holderOf(one)))
    .toSorted((a, b) => b.createdAt - a.createdAt)[0];
  if (newest === undefined) return undefined;
  const record = unlessRefused(() => currentRecord(app, newest));
  if (record === undefined) return undefined;
  const { identifier, accountId, name, createdAt } = newest;
  const finding = findingOn(read, newest);
  return {
    identifier,
    accountId,
    name,
    createdAt,
    outcome: outcomeOf(record),
    finding: finding?.classification ?? null,
    foundAt: finding?.at ?? null,
  };
}

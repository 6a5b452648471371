/** Searches the stored pictures by a sent or a stored one. An account sees the records of seen-before.ts, no others. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { holderOf } from '../../domain/desk.ts';
import { badField, tooLarge } from '../../domain/errors.ts';
import { emptyKeypoints, type Keypoints, unpackAskedKeypoints } from '../../domain/media/keypoints.ts';
import type { AskedPicture } from '../../domain/media/perceptual-hash.ts';
import {
  ASKED_FRAMES_MAX,
  FOUND_PICTURES_MAX,
  type FoundPicture,
  type PictureSearchAnswer,
} from '../../domain/records/found-picture.ts';
import { outcomeOf } from '../../domain/records/outcome.ts';
import { LIKENESS_QUALITY_MIN, type Likeness } from '../../domain/records/seen-before.ts';
import { assertKindEnabled } from '../callers/admission.ts';
import type { Principal } from '../callers/principal.ts';
import { findingOn } from '../callers/rights.ts';
import { readableClassification, readablePart } from './classifications.ts';
import { unlessRefused } from './find-records.ts';
import { keypointsOf, type PartHit, type SearchParts } from './kept-pictures.ts';
import type { RecordParts } from './parts.ts';
import { currentRecord } from './record.ts';
import { peersOf } from './seen-before.ts';

/** A search's picture: its hashes and keypoints, as it is and mirrored. */
interface Asked {
  hashes: string[];
  keypoints: Keypoints[];
}

const NO_KEYPOINTS = emptyKeypoints(0, 0, 0);

/** A picture that was received for this search alone. */
export interface AskingFile {
  path: string;
  hash: string;
  sizeBytes: number;
}

/** Searches with a picture that is neither kept nor analysed. Faults of the file are reported under `field`. */
export async function searchByFile(
  app: SearchParts,
  { principal, field, media }: { principal: Principal; field: string; media: AskingFile },
  signal: AbortSignal,
): Promise<PictureSearchAnswer> {
  const { account, plan } = principal;
  assertKindEnabled(principal, 'image');
  const bytesMax = plan.fileBytesMax.image;
  if (media.sizeBytes > bytesMax) throw tooLarge(field, media.sizeBytes, bytesMax);
  const described = await app.looks.describePicture(
    { path: media.path, hash: media.hash },
    signal,
    account.id,
  );
  if (described === null)
    throw badField(field, 'expected a picture of at least 5 pixels a side, found a smaller one');
  return await search(app, principal, [toAsked(described)], null);
}

/** Searches with the picture of a record, a frame, or some frames of a film. */
export async function searchByRecord(
  app: SearchParts,
  { principal, identifier }: { principal: Principal; identifier: string },
  signal: AbortSignal,
): Promise<PictureSearchAnswer> {
  const part = readablePart(app, { principal, identifier });
  const { analysisId, hash, kind } = part?.whole ?? readableClassification(app, { principal, identifier });
  const isSound = part === undefined ? kind === 'audio' : part.part.kind !== 'image';
  if (isSound) throw badField('identifier', 'expected a picture, a film or a frame of one, found sound');
  const own =
    part === undefined && kind === 'image' ? await describeKept(app, principal, hash, signal) : null;
  const asked =
    own === null ? storedOf(app, analysisId, frameSeconds(app, analysisId, part)) : [toAsked(own)];
  return await search(app, principal, asked, analysisId);
}

/** Null if the original is gone. */
async function describeKept(
  { store, looks }: SearchParts,
  { account }: Principal,
  hash: string,
  signal: AbortSignal,
): Promise<AskedPicture | null> {
  if (hash === '' || !(await store.blobs.has(hash))) return null;
  return await looks.describePicture({ hash, blobs: store.blobs }, signal, account.id);
}

/** Null: all frames, or the picture. */
function frameSeconds(
  { store }: SearchParts,
  analysisId: string,
  part: ReturnType<typeof readablePart>,
): number | null {
  const result = store.read.analyses.get(analysisId)?.result;
  if (part === undefined || result?.kind !== 'video') return null;
  return result.frames[part.part.index]?.timeSeconds ?? null;
}

/** The stored descriptions of an analysis; of a film some frames, evenly spread, of a frame those of its time. */
function storedOf({ store }: SearchParts, analysisId: string, seconds: number | null): Asked[] {
  const rows = (store.read.nearMatches.getUnlessDamaged(analysisId)?.sequences ?? []).flatMap((sequence) => {
    const likeness = store.read.likenesses.getUnlessDamaged(sequence);
    return likeness === undefined ? [] : [{ sequence, ...likeness }];
  });
  const wanted = seconds === null ? rows : rows.filter(({ timeSeconds }) => timeSeconds === seconds);
  const step = Math.max(1, wanted.length / ASKED_FRAMES_MAX);
  const chosen = wanted.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  return chosen.map(({ sequence, hash }) => ({
    hashes: [hash],
    keypoints: [keypointsOf(store, sequence) ?? NO_KEYPOINTS],
  }));
}

function toAsked({ hash, mirrored, quality, keypoints, mirroredKeypoints }: AskedPicture): Asked {
  return {
    // The hash of a picture with too little detail means nothing.
    hashes: quality < LIKENESS_QUALITY_MIN ? [] : [hash, mirrored],
    keypoints: [keypoints, mirroredKeypoints].map(
      (packed) => unpackAskedKeypoints(Buffer.from(packed, 'base64')) ?? NO_KEYPOINTS,
    ),
  };
}

async function search(
  app: SearchParts,
  principal: Principal,
  asked: readonly Asked[],
  withoutAnalysisId: string | null,
): Promise<PictureSearchAnswer> {
  const { account, plan } = principal;
  const accounts = peersOf(app.store.read, account, plan);
  const timer = app.metrics.pictureSearchSeconds.startTimer();
  const hits: AskedHits[] = [];
  for (const { hashes, keypoints } of asked) {
    const same = await app.copies.near(hashes, accounts);
    const parts = await app.keptPictures.search(keypoints, accounts);
    hits.push({ same, parts });
    await nextTurn();
  }
  const found = describeFound(app, { accounts, hits, withoutAnalysisId });
  timer();
  const searched = app.copies.countOf(accounts);
  return { found, searched, withoutParts: searched - app.keptPictures.countOf(accounts) };
}

/** Finds of one asked picture; odd queries are mirrored. */
interface AskedHits {
  same: readonly { sequence: number; query: number; distance: number }[];
  parts: readonly PartHit[];
}

type Match = Pick<
  FoundPicture,
  'degree' | 'isMirrored' | 'distance' | 'places' | 'askedPart' | 'foundPart' | 'timeSeconds'
>;

/** Records of a search's finds, as they are read now: one for each analysis, with its best find. */
function describeFound(
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
      const likeness = store.read.likenesses.getUnlessDamaged(sequence);
      if (likeness === undefined) continue;
      const whole = { places: null, askedPart: null, foundPart: null, timeSeconds: likeness.timeSeconds };
      offer(likeness, { degree: 'same_picture', isMirrored: query % 2 === 1, distance, ...whole });
    }
    for (const { sequence, query, places, asked, kept } of parts) {
      const likeness = store.read.likenesses.getUnlessDamaged(sequence);
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

/** Where a record is found; whatever changes its answer class (record, analysis, finding) calls this in its transaction. */
import type { Key } from 'lmdb';
import { type Held, holderOf } from '../../domain/desk.ts';
import { ANSWER_CLASS_VERSION, answerClassOf, toNumber } from '../../domain/records/answer-class.ts';
import {
  type Analysis,
  type Classification,
  hasEnded,
  type Override,
} from '../../domain/records/classification.ts';
import { CLASSIFICATIONS } from '../tables/collections.ts';
import type { IndexedTexts, StoreMeta, Tables } from '../tables/schema.ts';

/** Marks in a store's description that its index of answers is complete. */
export const ANSWERS_COMPLETE: NonNullable<StoreMeta['answers']> = {
  version: ANSWER_CLASS_VERSION,
  after: null,
};

export function areAnswersComplete(meta: StoreMeta | undefined): boolean {
  return meta?.answers?.version === ANSWER_CLASS_VERSION && meta.answers.after === null;
}

export function indexRecord(tables: Tables, classification: Classification): void {
  CLASSIFICATIONS.index(tables, classification.identifier, classification);
  indexAnswer(tables, classification);
}

export function unindexRecord(tables: Tables, classification: Classification): void {
  const { identifier, accountId, deskId, createdAt } = classification;
  removeAnswer(tables, classification, knownTexts(tables, classification));
  if (deskId !== undefined) tables.classificationsByDesk.remove([deskId, createdAt, identifier]);
  tables.classificationsByAccount.remove([accountId, createdAt, identifier]);
  CLASSIFICATIONS.unindex(tables, identifier, classification);
}

/** Whether the analysis' records may get another answer class than before. */
export function readsOtherwise(before: Analysis | undefined, after: Analysis): boolean {
  if (before === undefined || before.result !== after.result) return true;
  return before.state !== after.state && (hasEnded(before.state) || hasEnded(after.state));
}

export function indexAnswersOfAnalysis(tables: Tables, analysisId: string): void {
  indexAnswersOf(tables, tables.classificationsByAnalysis.under([analysisId]));
}

export function indexAnswersOfFile(
  tables: Tables,
  { kind, hash, ...held }: Held & Pick<Override, 'kind' | 'hash'>,
): void {
  indexAnswersOf(tables, tables.classificationsByHash.under([hash, holderOf(held), kind]));
}

function indexAnswersOf(tables: Tables, keys: Iterable<readonly Key[]>): void {
  for (const key of keys) {
    // A damaged record stays under its last known answer.
    const classification = tables.classifications.getUnlessDamaged(String(key.at(-1)));
    if (classification !== undefined) indexAnswer(tables, classification);
  }
}

export function currentClass(tables: Tables, classification: Classification): number {
  const { kind, hash, analysisId } = classification;
  const fileKey = [holderOf(classification), kind, hash];
  const isFindingThere = hash !== '' && tables.overrides.has(fileKey);
  const finding = isFindingThere ? (tables.overrides.getUnlessDamaged(fileKey) ?? 'damaged') : undefined;
  const analysis = tables.analyses.getUnlessDamaged(analysisId);
  return toNumber(answerClassOf({ classification, analysis, finding }));
}

/** Writes the record's class and texts if they differ from before. */
export function indexAnswer(tables: Tables, classification: Classification): void {
  const { identifier, accountId, deskId, createdAt, name, refId, hash } = classification;
  const known = knownTexts(tables, classification);
  const answer = currentClass(tables, classification);
  const texts: IndexedTexts = [name, refId, hash, answer];
  if (
    known !== 'damaged' &&
    known?.every((text, index) => text === texts[index]) &&
    known.length === texts.length
  )
    return;
  removeAnswer(tables, classification, known);
  tables.classificationsByAccount.put([accountId, createdAt, identifier], texts);
  if (deskId !== undefined) tables.classificationsByDesk.put([deskId, createdAt, identifier], texts);
  tables.classificationsByAnswer.put([accountId, answer, createdAt, identifier]);
}

type PlaceOfRecord = Pick<Classification, 'accountId' | 'createdAt' | 'identifier'>;

function knownTexts(
  { classificationsByAccount }: Tables,
  { accountId, createdAt, identifier }: PlaceOfRecord,
): IndexedTexts | 'damaged' | undefined {
  const key = [accountId, createdAt, identifier];
  if (!classificationsByAccount.has(key)) return undefined;
  return (classificationsByAccount.valueOf(key) as IndexedTexts | undefined) ?? 'damaged';
}

function removeAnswer(
  { classificationsByAnswer }: Tables,
  { accountId, createdAt, identifier }: PlaceOfRecord,
  known: IndexedTexts | 'damaged' | undefined,
): void {
  const classes =
    known === 'damaged' ? [...classificationsByAnswer.partsUnder([accountId])] : [known?.[3] ?? []].flat();
  for (const answer of classes) classificationsByAnswer.remove([accountId, answer, createdAt, identifier]);
}

/** What holds at every step of a history, whatever failed before it. Each check throws with what it found. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '../../src/app/records/record.ts';
import { type Classification, hasEnded } from '../../src/domain/records/classification.ts';
import type { Book } from './clients/book.ts';
import type { SimulatedApp } from './life.ts';

/** A reader may be so many transactions behind the last one: an older one keeps all pages in use. */
const READER_AGE_MAX = 20;
/** That the packs' own description states. */
const PACK_WEIGHT = 1;
/** Size of the records file: an empty one, and what a record with all its rows takes. */
const EMPTY_BYTES = 1_500_000;
const RECORD_BYTES = 60_000;

export interface Observed {
  app: SimulatedApp;
  book: Book;
}

/** All of them, cheapest first. */
export function checkInvariants(observed: Observed): void {
  noReaderIsOld(observed);
  bytesAreBounded(observed);
  chainIsWhole(observed);
  acceptedIsThere(observed);
  recordsAreReadable(observed);
  figuresAreThePacks(observed);
  chargedOnce(observed);
  placesAreFreed(observed);
}

/** Records of all accounts. */
export function recordsOf({ store }: SimulatedApp): Classification[] {
  return store.read.accounts
    .all()
    .flatMap(({ id: accountId }) => store.read.records.list({ accountId, limit: 1000 }));
}

function noReaderIsOld({ app }: Observed): void {
  const { transactions } = app.store.oldestReader();
  if (transactions > READER_AGE_MAX)
    throw new Error(`no reader is old: one stands ${transactions} transactions behind`);
}

function bytesAreBounded({ app }: Observed): void {
  const records = recordsOf(app).length;
  const { size } = statSync(join(app.store.folder, 'records', 'data.mdb'));
  const bytesMax = EMPTY_BYTES + records * RECORD_BYTES;
  if (size > bytesMax)
    throw new Error(`bytes are bounded: ${size} of at most ${bytesMax} for ${records} records`);
}

function chainIsWhole({ app }: Observed): void {
  const { custody } = app.store.read;
  const head = custody.head();
  if (head === undefined || head.size !== custody.entryCount)
    throw new Error(`the chain is whole: ${custody.entryCount} entries, the head says ${head?.size}`);
}

function acceptedIsThere({ app, book }: Observed): void {
  const { read } = app.store;
  for (const { identifier, mayBeDeleted, isDeleted } of book.accepted.values()) {
    const record = read.records.get(identifier);
    if (record === undefined && !mayBeDeleted)
      throw new Error(`what was accepted is there: the record ${identifier} is gone`);
    if (record !== undefined && isDeleted)
      throw new Error(`what was deleted is gone: the record ${identifier} is there`);
    if (record !== undefined && !read.analyses.has(record.analysisId))
      throw new Error(`what was accepted is answered: the record ${identifier} has no analysis`);
  }
}

function recordsAreReadable({ app }: Observed): void {
  for (const { identifier } of recordsOf(app)) {
    const record = JSON.stringify(readRecord(app, identifier), (_, value: unknown) => {
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new Error(`every figure is finite: the record ${identifier} holds ${value}`);
      return value;
    });
    if (/\bNaN\b|\bInfinity\b/.test(record))
      throw new Error(`every figure is finite: the record ${identifier} says NaN or Infinity`);
  }
}

/** Every pack that was asked answered once, by its own rules; no other did. */
function figuresAreThePacks({ app }: Observed): void {
  for (const { identifier, analysisId } of recordsOf(app)) {
    const analysis = app.store.read.analyses.get(analysisId);
    const result = analysis?.result;
    if (analysis === undefined || result?.kind !== 'image') continue;
    const answered = result.runs.map(({ model, version }) => `${model}@${version}`).sort();
    if (answered.join() !== [...analysis.models].sort().join())
      throw new Error(`a result is the models': of ${identifier} ${answered.join() || 'none'} answered`);
    for (const { model, weight, logOdds, probability } of result.runs) {
      const fits = probability !== null && Math.abs(probability - 1 / (1 + Math.exp(-(logOdds ?? 0)))) < 1e-6;
      if (weight !== PACK_WEIGHT || !fits)
        throw new Error(
          `a result is the models': ${model} gave ${identifier} ${logOdds}, ${probability}, weight ${weight}`,
        );
    }
    if (result.detections.length > 0 || result.nsfw !== null)
      throw new Error(`a result is what was asked: ${identifier} has more`);
  }
}

function chargedOnce({ app }: Observed): void {
  const { read } = app.store;
  const taken = new Map<string, number>();
  for (const { id } of read.accounts.all()) {
    const lines = read.ledger(id);
    const sum = lines.reduce((total, { amount }) => total + amount, 0);
    const { available } = read.balance(id);
    if (sum !== available || available < 0)
      throw new Error(`charged once: the ledger of ${id} sums to ${sum}, the balance is ${available}`);
    for (const { identifier, amount } of lines) taken.set(identifier, (taken.get(identifier) ?? 0) - amount);
  }
  for (const { identifier, credits } of recordsOf(app)) {
    const paid = taken.get(identifier) ?? 0;
    if (paid !== credits)
      throw new Error(`charged once: the record ${identifier} costs ${credits}, ${paid} were taken`);
  }
}

/** At a quiet moment everything that is open waits or runs, and nothing else does. */
function placesAreFreed({ app }: Observed): void {
  const { queueDepth, running } = app.engine.status();
  const open = [...app.store.read.openAnalyses()].filter(({ state }) => !hasEnded(state)).length;
  if (queueDepth + running < open)
    throw new Error(`what is open is queued: ${open} open, ${queueDepth} wait and ${running} run`);
}

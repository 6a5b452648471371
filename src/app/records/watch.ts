/** Live status: the present state first, then each change; a slow reader skips to the newest state. */
import type { ClassificationRecord } from '../../domain/answers/record.ts';
import type { MediaKind } from '../../domain/media/media.ts';
import type { Classification } from '../../domain/records/classification.ts';
import type { Principal } from '../callers/principal.ts';
import { mayRead } from '../callers/rights.ts';
import { getClassification, type RecordInput, readableClassification } from './classifications.ts';
import { unlessRefused } from './find-records.ts';
import type { RecordParts } from './parts.ts';
import { currentRecord } from './record.ts';

/** Ends after the record is `done` or `errored` and has no running addition. */
export async function* watchClassification(
  app: RecordParts,
  input: RecordInput,
  signal: AbortSignal,
): AsyncGenerator<ClassificationRecord> {
  readableClassification(app, input);
  // The feed is joined before the state is read, so that no change between the two is lost.
  const changes = app.feed.watch({ identifier: input.identifier }, signal);
  try {
    const present = getClassification(app, input);
    yield present;
    if (!isOpen(present)) return;
    for await (const _ of changes) {
      const record = changedRecord(app, readableClassification(app, input));
      yield record;
      if (!isOpen(record)) return;
    }
  } finally {
    await changes.return(undefined);
  }
}

function isOpen({ status, added }: ClassificationRecord): boolean {
  return status === 'new' || (added !== null && added.progress !== null);
}

/** Changes of the account's and its desks' records; with `waitsForMe` also of others' records that it may judge. */
export async function* watchClassifications(
  app: RecordParts,
  {
    principal,
    kind,
    waitsForMe = false,
  }: { principal: Principal; kind?: MediaKind | undefined; waitsForMe?: boolean },
  signal: AbortSignal,
): AsyncGenerator<ClassificationRecord> {
  const { id } = principal.account;
  const watched = waitsForMe ? { judgeId: id } : { readerId: id };
  for await (const identifier of app.feed.watch(watched, signal)) {
    const classification = app.store.read.records.getUnlessDamaged(identifier);
    if (classification === undefined || (kind !== undefined && classification.kind !== kind)) continue;
    if (!mayRead(app, principal, classification)) continue;
    const record = unlessRefused(() => changedRecord(app, classification));
    if (record !== undefined) yield record;
  }
}

/** Changes as soon as anything was written or a change was published. */
export function stampOf({ store, feed }: Pick<RecordParts, 'store' | 'feed'>): number {
  return store.revision + feed.changes;
}

function changedRecord(app: RecordParts, classification: Classification): ClassificationRecord {
  return app.records.shown(classification, stampOf(app), () => currentRecord(app, classification));
}

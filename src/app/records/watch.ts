/** Live status: the present state first, then each change; a slow reader skips to the newest state. */
import type { MediaKind } from '../../domain/media/media.ts';
import type { ClassificationRecord } from '../../domain/records/record.ts';
import { assertNotDeleted } from '../callers/authenticate.ts';
import type { Principal } from '../callers/principal.ts';
import type { Core } from '../core.ts';
import { getClassification, ownClassification, type RecordInput } from './classifications.ts';
import { toRecord } from './record.ts';

/** Ends after the record that is `done` or `errored`. */
export async function* watchClassification(
  app: Core,
  input: RecordInput,
  signal: AbortSignal,
): AsyncGenerator<ClassificationRecord> {
  ownClassification(app, input);
  // The feed is joined before the state is read: a change between the two is delivered, never lost.
  const changes = app.engine.watch({ identifier: input.identifier }, signal);
  try {
    const present = getClassification(app, input);
    yield present;
    if (present.status !== 'new') return;
    for await (const _ of changes) {
      assertNotDeleted(app.store.read, input.principal);
      const record = getClassification(app, input);
      yield record;
      if (record.status !== 'new') return;
    }
  } finally {
    await changes.return(undefined);
  }
}

/** Every change of the account's records from now on, until the signal aborts. */
export async function* watchClassifications(
  app: Core,
  { principal, kind }: { principal: Principal; kind?: MediaKind | undefined },
  signal: AbortSignal,
): AsyncGenerator<ClassificationRecord> {
  for await (const identifier of app.engine.watch({ accountId: principal.account.id }, signal)) {
    assertNotDeleted(app.store.read, principal);
    const classification = app.store.read.classification(identifier);
    if (classification === undefined || (kind !== undefined && classification.kind !== kind)) continue;
    yield toRecord(app, classification);
  }
}

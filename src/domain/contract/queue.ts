import {
  type FieldsOf,
  identifier,
  idNumber,
  listOf,
  moment,
  nounOf,
  nullable,
  oneOf,
  text,
  type ValuesOf,
  whole,
} from '../field.ts';
import { MEDIA_KIND } from '../media/media.ts';
import type { WaitReason } from '../records/wait-reason.ts';

const QUEUE_ENTRY = {
  name: 'QueueEntry',
  fields: {
    analysisId: identifier(),
    accountId: idNumber(),
    accountName: text('As it is called now; empty where the account is gone.'),
    kind: oneOf(MEDIA_KIND),
    identifiers: listOf(text('Records that the analysis is for.')),
    attempts: whole(),
    queuedAt: moment(),
    startedAt: nullable(moment()),
    endedAt: nullable(moment()),
    error: text(),
  },
};
export interface QueueEntry extends ValuesOf<typeof QUEUE_ENTRY.fields> {}

export const WAIT_REASON = {
  name: 'WaitReason',
  description: 'Why no place begins what waits. It is kept, and begun as soon as that has passed.',
  fields: {
    step: text<WaitReason['step']>(
      '`no-broker`, `no-worker` or `not-ready`; the step of a record that waits is named so too, or `kept-here` where its plan keeps its media on a box that has no places.',
    ),
    sentence: text(),
  } satisfies FieldsOf<WaitReason>,
};

export const QUEUE = {
  name: 'Queue',
  fields: {
    running: listOf(nounOf(QUEUE_ENTRY, 'Oldest first.')),
    waiting: listOf(nounOf(QUEUE_ENTRY, 'Oldest first.')),
    failed: listOf(nounOf(QUEUE_ENTRY, 'Newest first.')),
    runningTotal: whole(),
    waitingTotal: whole(),
    waitReason: nullable(nounOf(WAIT_REASON)),
  },
};
export interface Queue extends ValuesOf<typeof QUEUE.fields> {}

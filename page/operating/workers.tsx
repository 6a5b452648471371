/** The boxes that carry out work for this one; nothing if there are none. */
import type { JSX } from 'preact';
import {
  DRAIN_WORKER,
  FORGET_WORKER,
  READ_WORKERS,
  RESUME_WORKER,
  type AllOfWorker as Worker,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import type { Document } from '../parts/document.ts';
import { formatNumber } from '../parts/format.ts';
import { Fault } from '../parts/parts.tsx';
import { Rows } from '../parts/rows.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REFRESH_MS = 3000;
const CHANGES: readonly (readonly [
  action: 'drain' | 'resume' | 'forget',
  document: Document<object, { name: string }>,
  when: (worker: Worker) => boolean,
])[] = [
  ['resume', RESUME_WORKER, ({ drained }) => drained],
  ['drain', DRAIN_WORKER, ({ drained }) => !drained],
  // A worker that is still connected would appear again with its next message.
  ['forget', FORGET_WORKER, ({ here }) => !here],
];

export function Workers(): JSX.Element | null {
  const { data, error, reload } = useQuery(READ_WORKERS, {}, REFRESH_MS);
  const { isBusy, fault, run } = useWork(reload);
  const workers = data?.workers ?? [];
  if (workers.length === 0) return <Fault error={error} />;
  return (
    <section>
      <h2>{t('workers')}</h2>
      <Fault error={fault} />
      <Rows
        caption={t('workers')}
        items={workers}
        keyOf={nameOf}
        {...{ nameOf, isBusy }}
        columns={[
          [t('worker'), ({ name, packs }) => <span title={packs.join(', ')}>{name}</span>],
          [t('workerState'), stateOf],
          [t('queueRunning'), ({ running, places }) => t('workerRunning', { running, places })],
          [t('workerDone'), ({ done }) => formatNumber(done)],
          [t('queueFailed'), ({ failed }) => formatNumber(failed)],
          [t('workerClock'), ({ clockOffsetSeconds }) => `${clockOffsetSeconds.toFixed(1)} s`],
          [t('workerDevice'), ({ devices }) => devices.join(', ')],
        ]}
        actions={CHANGES.map(([action, document, when]) => ({
          text: t(`worker_${action}`),
          when,
          press: ({ name }: Worker) => run(() => change(document, { name })),
        }))}
      />
    </section>
  );
}

const nameOf = ({ name }: Worker): string => name;

function stateOf({ here, draining, drained, running, refusal }: Worker): string {
  if (drained) return running > 0 ? t('workerDraining') : t('workerDrained');
  if (refusal !== null) return t('workerRefused', { reason: refusal });
  if (!here) return t('workerAway');
  return draining ? t('workerDraining') : t('workerHere');
}

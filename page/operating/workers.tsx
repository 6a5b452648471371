/** The boxes that carry out work for this one; nothing where there are none. */
import type { JSX } from 'preact';
import { READ_WORKERS, type AllOfWorker as Worker } from '../gen/documents.ts';
import { formatNumber } from '../parts/format.ts';
import { Fault, Table } from '../parts/parts.tsx';
import { useQuery } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REFRESH_MS = 3000;

export function Workers(): JSX.Element | null {
  const { data, error } = useQuery(READ_WORKERS, {}, REFRESH_MS);
  const workers = data?.workers ?? [];
  if (workers.length === 0) return <Fault error={error} />;
  const head = [
    t('worker'),
    t('workerState'),
    t('queueRunning'),
    t('workerDone'),
    t('queueFailed'),
    t('workerClock'),
  ];
  return (
    <section>
      <h2>{t('workers')}</h2>
      <Table caption={t('workers')} head={head}>
        {workers.map((worker) => (
          <tr key={worker.name}>
            <td title={worker.packs.join(', ')}>{worker.name}</td>
            <td>{stateOf(worker)}</td>
            <td>{t('workerRunning', { running: worker.running, places: worker.places })}</td>
            <td>{formatNumber(worker.done)}</td>
            <td>{formatNumber(worker.failed)}</td>
            <td>{worker.clockOffsetSeconds.toFixed(1)} s</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function stateOf({ here, draining, refusal }: Worker): string {
  if (refusal !== null) return t('workerRefused', { reason: refusal });
  if (!here) return t('workerAway');
  return draining ? t('workerDraining') : t('workerHere');
}

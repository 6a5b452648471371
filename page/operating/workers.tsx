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
import { Button, Fault, Table } from '../parts/parts.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

const REFRESH_MS = 3000;
const CHANGES: Readonly<Record<'drain' | 'resume' | 'forget', Document<object, { name: string }>>> = {
  drain: DRAIN_WORKER,
  resume: RESUME_WORKER,
  forget: FORGET_WORKER,
};

export function Workers(): JSX.Element | null {
  const { data, error, reload } = useQuery(READ_WORKERS, {}, REFRESH_MS);
  const { isBusy, fault, run } = useWork(reload);
  const act = async (action: keyof typeof CHANGES, name: string): Promise<void> => {
    await run(() => change(CHANGES[action], { name }));
  };
  const workers = data?.workers ?? [];
  if (workers.length === 0) return <Fault error={error} />;
  const head = [
    t('worker'),
    t('workerState'),
    t('queueRunning'),
    t('workerDone'),
    t('queueFailed'),
    t('workerClock'),
    t('workerDevice'),
    '',
  ];
  return (
    <section>
      <h2>{t('workers')}</h2>
      <Fault error={fault} />
      <Table caption={t('workers')} head={head}>
        {workers.map((worker) => (
          <tr key={worker.name}>
            <td title={worker.packs.join(', ')}>{worker.name}</td>
            <td>{stateOf(worker)}</td>
            <td>{t('workerRunning', { running: worker.running, places: worker.places })}</td>
            <td>{formatNumber(worker.done)}</td>
            <td>{formatNumber(worker.failed)}</td>
            <td>{worker.clockOffsetSeconds.toFixed(1)} s</td>
            <td>{worker.devices.join(', ')}</td>
            <td class="actions">
              {actionsFor(worker).map((action) => (
                <Button
                  key={action}
                  {...{ isBusy }}
                  label={`${t(`worker_${action}`)}: ${worker.name}`}
                  onPress={() => void act(action, worker.name)}
                >
                  {t(`worker_${action}`)}
                </Button>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** One that is here would come again with its next word. */
function actionsFor({ drained, here }: Worker): (keyof typeof CHANGES)[] {
  return [drained ? 'resume' : 'drain', ...(here ? [] : (['forget'] as const))];
}

function stateOf({ here, draining, drained, running, refusal }: Worker): string {
  if (drained) return running > 0 ? t('workerDraining') : t('workerDrained');
  if (refusal !== null) return t('workerRefused', { reason: refusal });
  if (!here) return t('workerAway');
  return draining ? t('workerDraining') : t('workerHere');
}

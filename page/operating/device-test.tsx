/** Each model run on this box now: on which device, whether its golden outputs agreed, and how fast. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { BENCH_MODELS, type BenchModelsAnswer } from '../gen/documents.ts';
import { formatNumber } from '../parts/format.ts';
import { follow } from '../parts/live.ts';
import { Button, Panel, Table } from '../parts/parts.tsx';
import { t } from '../texts/language.ts';

export function DeviceTest(): JSX.Element {
  const [rows, setRows] = useState<readonly BenchModelsAnswer['modelBench'][]>([]);
  const [isRunning, setRunning] = useState(false);
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  const start = (): void => {
    setRows([]);
    setRunning(true);
    stop.current = follow(
      BENCH_MODELS,
      {},
      ({ modelBench }) => setRows((before) => [...before, modelBench]),
      () => setRunning(false),
    );
  };
  return (
    <Panel title={t('deviceTest')}>
      <p class="quiet">{t('deviceTestLead')}</p>
      {rows.length > 0 && (
        <Table
          caption={t('deviceTest')}
          head={[t('model'), t('device'), t('deviceAnswers'), t('perSecond'), t('singleMs')]}
        >
          {rows.map(({ id, provider, error, itemsPerSecond, singleMs }) => (
            <tr key={id}>
              <td>
                <code>{id}</code>
              </td>
              <td>{provider === '' ? '–' : provider}</td>
              <td>{error === '' ? t('deviceAgrees') : error}</td>
              <td class="figure">{formatNumber(itemsPerSecond, 1)}</td>
              <td class="figure">{formatNumber(singleMs, 1)}</td>
            </tr>
          ))}
        </Table>
      )}
      <p class="actions">
        <Button isBusy={isRunning} onPress={start}>
          {t('deviceTestStart')}
        </Button>
        <span class="quiet" role="status">
          {isRunning && t('deviceTestRuns')}
          {!isRunning && rows.length > 0 && t('deviceTestDone')}
        </span>
      </p>
    </Panel>
  );
}

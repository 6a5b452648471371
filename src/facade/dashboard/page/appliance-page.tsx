/** How the box is: what needs mending first, then its load, storage and models. */
import type { JSX } from 'preact';
import { formatBytes, formatNumber, formatPercent } from './format.ts';
import { findText, t } from './language.ts';
import { Tile } from './ledger-page.tsx';
import { Facts, Fault, Loading, Notice, Panel, Title } from './parts.tsx';
import { useQuery } from './use-query.ts';

interface Model {
  id: string;
  version: string;
  name: string;
  task: string;
  provider: string | null;
  fault: string | null;
  licence: string;
  figures: { tier: string; auc: number; balancedAccuracy: number; falseAlarmRateBalanced: number }[] | null;
}

interface Appliance {
  version: string;
  phase: string;
  notReadyReason: string | null;
  isolation: string | null;
  queueDepth: number;
  running: number;
  uptimeSeconds: number;
  rssAnonBytes: number;
  diskFreeBytes: number;
  models: Model[];
}

const QUERY = `{ appliance { version phase notReadyReason isolation queueDepth running uptimeSeconds rssAnonBytes diskFreeBytes
  models { id version name task provider fault licence figures } } }`;
const REFRESH_MS = 5000;
const HOUR_SECONDS = 3600;
const DISK_LOW_BYTES = 10 * 1024 ** 3;

export function AppliancePage(): JSX.Element {
  const { data, error, isLoading } = useQuery<{ appliance: Appliance }>(QUERY, {}, REFRESH_MS);
  const box = data?.appliance;
  return (
    <>
      <Title>{t('navAppliance')}</Title>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {box !== undefined && (
        <>
          <Repairs {...{ box }} />
          <div class="tiles">
            <Tile label={t('state')} value={findText(`phase_${box.phase}`) ?? box.phase} />
            <Tile label={t('version')} value={box.version} />
            <Tile
              label={t('uptime')}
              value={t('hours', { hours: formatNumber(box.uptimeSeconds / HOUR_SECONDS, 1) })}
            />
            <Tile label={t('queueRunning')} value={formatNumber(box.running)} />
            <Tile label={t('queueWaiting')} value={formatNumber(box.queueDepth)} />
            <Tile label={t('diskFree')} value={formatBytes(box.diskFreeBytes)} />
            <Tile label={t('memory')} value={formatBytes(box.rssAnonBytes)} />
            <Tile label={t('isolation')} value={box.isolation ?? '–'} />
          </div>
          <h2>{t('models')}</h2>
          <div class="columns">
            {box.models.map((model) => (
              <ModelPanel key={model.id} {...{ model }} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

/** Each fault with how to mend it. */
function Repairs({ box }: { box: Appliance }): JSX.Element {
  const repairs = [
    ...(box.notReadyReason === null ? [] : [t('repairNotReady', { reason: box.notReadyReason })]),
    ...(box.models.length === 0 ? [t('repairNoModels')] : []),
    ...box.models.flatMap(({ id, fault }) => (fault === null ? [] : [t('repairModel', { id, fault })])),
    ...(box.isolation === 'limits only' ? [t('repairIsolation')] : []),
    ...(box.diskFreeBytes < DISK_LOW_BYTES
      ? [t('repairDisk', { free: formatBytes(box.diskFreeBytes) })]
      : []),
  ];
  if (repairs.length === 0) return <Notice kind="good">{t('nothingToMend')}</Notice>;
  return (
    <Panel title={t('toMend')}>
      <ul class="limits">
        {repairs.map((repair) => (
          <li key={repair}>{repair}</li>
        ))}
      </ul>
    </Panel>
  );
}

function ModelPanel({ model }: { model: Model }): JSX.Element {
  const { id, version, name, task, provider, licence, figures } = model;
  return (
    <Panel title={name}>
      <Facts
        rows={[
          [t('identifier'), <code key="id">{`${id} ${version}`}</code>],
          [t('task'), findText(`task_${task}`) ?? task],
          [t('device'), provider ?? t('outOfService')],
          [t('licence'), licence],
        ]}
      />
      {figures !== null && figures.length > 0 && (
        <table class="plain">
          <caption>{t('figuresLead')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('tier')}</th>
              <th scope="col">AUC</th>
              <th scope="col">{t('accuracy')}</th>
              <th scope="col">{t('falseAlarms')}</th>
            </tr>
          </thead>
          <tbody>
            {figures.map((row) => (
              <tr key={row.tier}>
                <th scope="row">{row.tier}</th>
                <td class="figure">{formatNumber(row.auc, 3)}</td>
                <td class="figure">{formatPercent(row.balancedAccuracy)}</td>
                <td class="figure">{formatPercent(row.falseAlarmRateBalanced)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

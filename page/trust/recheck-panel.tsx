/** Stored manifests read anew: begun, followed, ended, and what was found to read otherwise. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { showText } from '../../src/domain/shown-text.ts';
import { describeChange } from '../custody/answer-changes.ts';
import {
  CANCEL_TRUST_RECHECK,
  READ_RECHECKED_RECORDS,
  READ_TRUST_RECHECK,
  type ReadRecheckedRecordsAnswer,
  type ReadTrustRecheckAnswer,
  START_TRUST_RECHECK,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { formatNumber } from '../parts/format.ts';
import { More, usePaged } from '../parts/paged.tsx';
import { Button, Fault, Panel, Table, Time } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { useQuery, useWork } from '../parts/use-query.ts';
import { t } from '../texts/language.ts';

/** Interval of questions while a recheck runs. */
const REFRESH_MS = 2000;

type Recheck = NonNullable<ReadTrustRecheckAnswer['trustRecheck']>;
type Found = ReadRecheckedRecordsAnswer['recheckedRecords']['nodes'][number];

export function RecheckPanel(): JSX.Element {
  const [isRunning, setRunning] = useState(false);
  const { data, error, reload } = useQuery(READ_TRUST_RECHECK, {}, isRunning ? REFRESH_MS : undefined);
  useEffect(() => setRunning(data?.trustRecheck?.state === 'RUNNING'), [data?.trustRecheck?.state]);
  const { isBusy, fault, run } = useWork(reload);
  const recheck = data?.trustRecheck ?? null;
  return (
    <Panel title={t('recheck')}>
      <p>{t('recheckLead')}</p>
      <p class="actions">
        {recheck?.state === 'RUNNING' ? (
          <Button {...{ isBusy }} onPress={() => void run(() => change(CANCEL_TRUST_RECHECK, {}))}>
            {t('recheckCancel')}
          </Button>
        ) : (
          <Button {...{ isBusy }} kind="main" onPress={() => void run(() => change(START_TRUST_RECHECK, {}))}>
            {t('recheckStart')}
          </Button>
        )}
      </p>
      <Fault error={fault ?? error} />
      <div role="status">
        {data !== undefined && recheck === null && <p>{t('recheckNone')}</p>}
        {recheck !== null && <Progress {...{ recheck }} />}
      </div>
      {recheck !== null && <FoundRecords {...{ recheck }} />}
    </Panel>
  );
}

function Progress({ recheck }: { recheck: Recheck }): JSX.Element {
  const { state, startedAt, endedAt, unchanged, changed, mediaGone, unreadable } = recheck;
  const [looked, total] = [formatNumber(recheck.looked), formatNumber(recheck.total)];
  const figures = {
    changed: formatNumber(changed),
    unchanged: formatNumber(unchanged),
    mediaGone: formatNumber(mediaGone),
    unreadable: formatNumber(unreadable),
  };
  return (
    <p>
      {t(`recheckState_${state}`, { looked, total })} <Time iso={endedAt ?? startedAt} isAge />
      <br />
      {t('recheckFound', figures)}
    </p>
  );
}

function FoundRecords({ recheck }: { recheck: Recheck }): JSX.Element | null {
  const records = usePaged(READ_RECHECKED_RECORDS, {}, ({ recheckedRecords }) => recheckedRecords);
  const { startedAt, state, changed, mediaGone, unreadable } = recheck;
  const found = changed + mediaGone + unreadable;
  // A run may end as the one before it did, between two questions.
  useEffect(() => records.reload(), [startedAt, state, found]);
  if (records.nodes.length === 0) return null;
  const title = t('recheckNewest');
  return (
    <>
      <h3>{title}</h3>
      <Fault error={records.error} />
      <Table caption={title} head={[t('name'), t('recheckOutcome'), t('recheckLists')]}>
        {records.nodes.map((record) => (
          <FoundRow key={record.sequence} {...{ record }} />
        ))}
      </Table>
      <More {...records} />
    </>
  );
}

function FoundRow({ record }: { record: Found }): JSX.Element {
  const { identifier, name, outcome, changes, reason } = record;
  return (
    <tr>
      <td class="long">
        <Link href={resultPath(identifier)}>{showText(name)}</Link>
      </td>
      <td>
        {t(`recheckOutcome_${outcome}`)}
        {changes.map((one) => (
          <small key={one.answer} class="block">
            {describeChange(one)}
          </small>
        ))}
        {reason !== '' && (
          <small class="quiet block" lang="en">
            {showText(reason)}
          </small>
        )}
      </td>
      <td>
        <small class="quiet">{listsChanged(record).join(', ')}</small>
      </td>
    </tr>
  );
}

/** The lists that differ, by the beginnings of their hashes. */
function listsChanged({ listsBefore, listsAfter }: Found): string[] {
  const hashIn = (lists: Found['listsBefore'], id: string): string =>
    lists.find((list) => list.id === id)?.sha256.slice(0, 8) ?? '–';
  const ids = [...new Set([...listsBefore, ...listsAfter].map(({ id }) => id))];
  return ids
    .map((id) => ({ id, before: hashIn(listsBefore, id), after: hashIn(listsAfter, id) }))
    .filter(({ before, after }) => before !== after)
    .map(({ id, before, after }) => `${id} ${before} → ${after}`);
}

/** What runs, waits and has failed, of all accounts; work is ended or run again here. */
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Tile } from '../account/ledger-page.tsx';
import {
  type ReadQueueAnswer as Answer,
  CANCEL_WORK,
  type AllOfQueueEntry as Entry,
  READ_QUEUE,
  RETRY_WORK,
} from '../gen/documents.ts';
import { AccountName } from '../parts/account-name.tsx';
import { type AccountInfo, change } from '../parts/api.ts';
import type { Document } from '../parts/document.ts';
import { formatNumber } from '../parts/format.ts';
import { Fault, Loading, Notice, Time, Title } from '../parts/parts.tsx';
import { resultPath } from '../parts/paths.ts';
import { Rows } from '../parts/rows.tsx';
import { type Asked, useQuery, useWork } from '../parts/use-query.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { findText, t } from '../texts/language.ts';
import { kindName } from '../texts/names.ts';
import { Workers } from './workers.tsx';

const CHANGES: Readonly<Record<'cancel' | 'retry', Document<object, { analysisId: string }>>> = {
  cancel: CANCEL_WORK,
  retry: RETRY_WORK,
};
const REFRESH_MS = 3000;
const LISTS = [
  ['running', 'queueRunning', 'cancel'],
  ['waiting', 'queueWaiting', 'cancel'],
  ['failed', 'queueFailed', 'retry'],
] as const;

export function QueuePage({ account }: { account: AccountInfo }): JSX.Element {
  const asked = useQuery(READ_QUEUE, {}, REFRESH_MS);
  const queue = asked.data?.queue;
  return (
    <>
      <Title>{t('navQueue')}</Title>
      <Fault error={asked.error} />
      {asked.isLoading && <Loading />}
      {queue !== undefined && (
        <>
          <div class="tile-row">
            <Tile label={t('queueRunning')} value={formatNumber(queue.runningTotal)} />
            <Tile label={t('queueWaiting')} value={formatNumber(queue.waitingTotal)} />
            <Tile label={t('queueFailed')} value={formatNumber(queue.failed.length)} />
          </div>
          {queue.waitReason !== null && (
            <Notice kind="bad">
              {findText(`held_${queue.waitReason.step}`)}{' '}
              <span class="quiet">{queue.waitReason.sentence}</span>
            </Notice>
          )}
          <Workers />
          {LISTS.map(([name, title, action]) => (
            <section key={name}>
              <h2>{t(title)}</h2>
              {queue[name].length === 0 ? (
                <p class="quiet">{t(`nothing_${name}`)}</p>
              ) : (
                <Entries title={t(title)} entries={queue[name]} {...{ action, account, asked }} />
              )}
            </section>
          ))}
        </>
      )}
    </>
  );
}

interface EntriesProps {
  title: string;
  entries: readonly Entry[];
  action: keyof typeof CHANGES;
  account: AccountInfo;
  asked: Asked<Answer>;
}

function Entries({ title, entries, action, account, asked }: EntriesProps): JSX.Element {
  const { isBusy, fault, run } = useWork(asked.reload);
  return (
    <>
      <Fault error={fault} />
      <Rows
        caption={title}
        items={entries}
        keyOf={({ analysisId }) => analysisId}
        {...{ nameOf, isBusy }}
        columns={[
          [t('record'), (entry) => <RecordName {...{ entry, account }} />],
          [t('kind'), ({ kind }) => kindName(kind)],
          [t('account'), (entry) => <AccountName {...entry} id={entry.accountId} />],
          [t('queuedAt'), (entry) => <Time iso={entry.endedAt ?? entry.startedAt ?? entry.queuedAt} isAge />],
          [t('attempts'), ({ attempts }) => attempts, 'figure'],
          [t('reason'), ({ error }) => (error === '' ? '–' : saySentence(error))],
        ]}
        actions={[
          {
            text: t(`work_${action}`),
            press: ({ analysisId }) => run(() => change(CHANGES[action], { analysisId })),
          },
        ]}
      />
    </>
  );
}

const nameOf = ({ identifiers, analysisId }: Entry): string => (identifiers[0] ?? analysisId).slice(0, 12);

/** An administrator sees that others' work runs, but not its name. */
function RecordName({ entry, account }: { entry: Entry; account: AccountInfo }): JSX.Element {
  const [first, ...others] = entry.identifiers;
  const name = <code>{nameOf(entry)}</code>;
  return (
    <>
      {first !== undefined && entry.accountId === String(account.id) ? (
        <Link href={resultPath(first)}>{name}</Link>
      ) : (
        name
      )}
      {others.length > 0 && <span class="quiet"> {t('andMore', { count: others.length })}</span>}
    </>
  );
}

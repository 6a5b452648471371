/** What runs, waits and has failed, of all accounts. */
import type { JSX } from 'preact';
import { formatNumber } from './format.ts';
import { t } from './language.ts';
import { Tile } from './ledger-page.tsx';
import { kindName } from './names.ts';
import { Fault, Loading, Table, Time, Title } from './parts.tsx';
import { useQuery } from './use-query.ts';

interface Entry {
  analysisId: string;
  accountId: string;
  kind: string;
  attempts: number;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  error: string;
  identifiers: string[];
}

interface Answer {
  queue: { running: Entry[]; waiting: Entry[]; failed: Entry[]; runningTotal: number; waitingTotal: number };
}

const FIELDS = 'analysisId accountId kind attempts queuedAt startedAt endedAt error identifiers';
const QUERY = `{ queue(first: 50) { runningTotal waitingTotal running { ${FIELDS} } waiting { ${FIELDS} } failed { ${FIELDS} } } }`;
const REFRESH_MS = 3000;
const LISTS = [
  ['running', 'queueRunning'],
  ['waiting', 'queueWaiting'],
  ['failed', 'queueFailed'],
] as const;

export function QueuePage(): JSX.Element {
  const { data, error, isLoading } = useQuery<Answer>(QUERY, {}, REFRESH_MS);
  const queue = data?.queue;
  return (
    <>
      <Title>{t('navQueue')}</Title>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {queue !== undefined && (
        <>
          <div class="tiles">
            <Tile label={t('queueRunning')} value={formatNumber(queue.runningTotal)} />
            <Tile label={t('queueWaiting')} value={formatNumber(queue.waitingTotal)} />
          </div>
          {LISTS.map(([name, title]) => (
            <section key={name}>
              <h2>{t(title)}</h2>
              {queue[name].length === 0 ? (
                <p class="quiet">{t('nothingHere')}</p>
              ) : (
                <Entries title={t(title)} entries={queue[name]} />
              )}
            </section>
          ))}
        </>
      )}
    </>
  );
}

function Entries({ title, entries }: { title: string; entries: readonly Entry[] }): JSX.Element {
  return (
    <Table
      caption={title}
      head={[t('record'), t('kind'), t('account'), t('queuedAt'), t('attempts'), t('reason')]}
    >
      {entries.map(({ analysisId, identifiers, kind, accountId, queuedAt, attempts, error }) => (
        <tr key={analysisId}>
          <td>
            <code>{(identifiers[0] ?? analysisId).slice(0, 12)}</code>
          </td>
          <td>{kindName(kind)}</td>
          <td class="figure">{accountId}</td>
          <td>
            <Time iso={queuedAt} isAge />
          </td>
          <td class="figure">{attempts}</td>
          <td>{error}</td>
        </tr>
      ))}
    </Table>
  );
}

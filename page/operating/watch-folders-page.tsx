/** Watched folders: what each does now, what failed in it and why, and a new one tested before it is watched. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { showText } from '../../src/domain/shown-text.ts';
import {
  ADD_WATCH_FOLDER,
  type AllOfWatchFolder as Folder,
  PAUSE_WATCH_FOLDER,
  READ_FAILED_FILES,
  READ_WATCH_FOLDERS,
  REMOVE_WATCH_FOLDER,
  RESUME_WATCH_FOLDER,
  TEST_WATCH_FOLDER,
  type TestWatchFolderAnswer,
} from '../gen/documents.ts';
import { change } from '../parts/api.ts';
import { AskedForm } from '../parts/form.tsx';
import { formatNumber } from '../parts/format.ts';
import { usePaged } from '../parts/paged.tsx';
import { Button, Empty, Fault, Loading, Notice, Panel, Time, Title } from '../parts/parts.tsx';
import { PagedRows, Rows } from '../parts/rows.tsx';
import { SettingNote } from '../parts/setting-note.tsx';
import { useQuery, useWork } from '../parts/use-query.ts';
import { saySentence } from '../texts/daemon/sentences-it.ts';
import { t } from '../texts/language.ts';

const REFRESH_MS = 3000;
const DONE_ACTIONS = ['LEAVE', 'SIDECAR', 'MOVE'] as const;
type Check = Pick<TestWatchFolderAnswer['testWatchFolder'], 'findings' | 'unitLines'>;

export function WatchFoldersPage(): JSX.Element {
  const { data, error, isLoading, reload } = useQuery(READ_WATCH_FOLDERS, {}, REFRESH_MS);
  const [shown, setShown] = useState<Folder | null>(null);
  return (
    <>
      <Title>{t('navFolders')}</Title>
      <p class="quiet">{t('foldersLead')}</p>
      <Fault {...{ error }} />
      {isLoading && <Loading />}
      {data !== undefined && data.watchRoots.length === 0 && (
        <Empty title={t('foldersOff')}>
          <p>{t('foldersOffLead')}</p>
          <SettingNote name="watch.roots" />
        </Empty>
      )}
      {data !== undefined && data.watchRoots.length > 0 && (
        <>
          <AddPanel roots={data.watchRoots} onAdded={() => void reload()} />
          {data.watchFolders.length === 0 ? (
            <p class="quiet">{t('noFolders')}</p>
          ) : (
            <Folders folders={data.watchFolders} onChanged={() => void reload()} onShow={setShown} />
          )}
          <SettingNote name="watch.roots" />
        </>
      )}
      {shown !== null && <Failed key={shown.id} folder={shown} />}
    </>
  );
}

function AddPanel({ roots, onAdded }: { roots: readonly string[]; onAdded: () => void }): JSX.Element {
  const [check, setCheck] = useState<Check | null>(null);
  const work = useWork();
  const doneNames = DONE_ACTIONS.map((action) => [action, t(`done_${action}`)] as const);
  return (
    <Panel title={t('folderAdd')}>
      <AskedForm
        start={{ path: '', done: 'LEAVE' as (typeof DONE_ACTIONS)[number], options: '' }}
        asked={[
          {
            of: 'path',
            label: t('folderPath'),
            hint: t('folderPathLead', { roots: roots.join(', ') }),
            isRequired: true,
          },
          { of: 'done', label: t('folderDone'), options: doneNames },
          { of: 'options', label: t('folderOptions'), hint: t('folderOptionsLead') },
        ]}
        kind="main"
        text={t('folderAdd')}
        {...{ work }}
        send={async ({ options, ...folder }, put) => {
          const listed = options.split(',').map((one) => one.trim());
          setCheck(
            await change(ADD_WATCH_FOLDER, { ...folder, options: listed.filter((one) => one !== '') }),
          );
          put({ path: '' });
          onAdded();
        }}
        beside={({ path }) => (
          <Button
            isBusy={work.isBusy}
            isDisabled={path === ''}
            onPress={() => void work.run(async () => setCheck(await change(TEST_WATCH_FOLDER, { path })))}
          >
            {t('folderTest')}
          </Button>
        )}
      />
      {check !== null && <CheckResult {...{ check }} />}
    </Panel>
  );
}

function CheckResult({ check: { findings, unitLines } }: { check: Check }): JSX.Element {
  return (
    <>
      {findings.map(({ name, good, found }) => (
        <Notice key={name} kind={good ? 'good' : 'bad'}>
          {found}
        </Notice>
      ))}
      {unitLines.length > 0 && (
        <>
          <p>{t('folderUnit')}</p>
          <pre>{unitLines.join('\n')}</pre>
        </>
      )}
    </>
  );
}

interface FoldersProps {
  folders: readonly Folder[];
  onChanged: () => void;
  onShow: (folder: Folder) => void;
}

function Folders({ folders, onChanged, onShow }: FoldersProps): JSX.Element {
  const { isBusy, fault, run } = useWork(onChanged);
  return (
    <>
      <Fault error={fault} />
      <Rows
        caption={t('navFolders')}
        items={folders}
        keyOf={({ id }) => id}
        {...{ isBusy }}
        columns={[
          [t('folder'), ({ path }) => showText(path), 'long'],
          [t('accountOf'), ({ accountEmail }) => showText(accountEmail)],
          [t('folderDone'), ({ done }) => t(`done_${done}`)],
          [t('state'), (folder) => <State {...{ folder }} />],
          [t('folderCounts'), countsOf, 'figure'],
        ]}
        actions={[
          { text: t('folderShowFailed'), when: hasFailed, press: onShow },
          {
            text: t('folderRetry'),
            when: hasFailed,
            press: ({ id }) => run(() => change(RESUME_WATCH_FOLDER, { id, retryFailed: true })),
          },
          {
            text: t('folderResume'),
            when: isPaused,
            press: ({ id }) => run(() => change(RESUME_WATCH_FOLDER, { id })),
          },
          {
            text: t('folderPause'),
            when: (folder) => !isPaused(folder),
            press: ({ id }) => run(() => change(PAUSE_WATCH_FOLDER, { id })),
          },
          { text: t('folderRemove'), press: ({ id }) => run(() => change(REMOVE_WATCH_FOLDER, { id })) },
        ]}
      />
    </>
  );
}

const hasFailed = ({ failed }: Folder): boolean => failed > 0;
const isPaused = ({ state }: Folder): boolean => state === 'PAUSED';

function countsOf({ waiting, submitted, finished, failed, skipped }: Folder): string {
  return [waiting, submitted, finished, failed, skipped].map(formatNumber).join(' · ');
}

function State({ folder: { state, reason, obstacles } }: { folder: Folder }): JSX.Element {
  const notes = [reason, ...obstacles].filter((text) => text !== '');
  return (
    <>
      {t(`watch_${state}`)}
      {notes.map((text) => (
        <small key={text} class="quiet">
          {' '}
          {showText(text)}
        </small>
      ))}
    </>
  );
}

function Failed({ folder: { id, path } }: { folder: Folder }): JSX.Element {
  const files = usePaged(READ_FAILED_FILES, { id }, ({ watchedFiles }) => watchedFiles);
  const title = t('folderFailed', { path: showText(path) });
  return (
    <section>
      <h2>{title}</h2>
      <Fault error={files.error} />
      <PagedRows
        of={files}
        none={<p class="quiet">{t('folderNoneFailed')}</p>}
        caption={title}
        keyOf={({ path: name }) => name}
        columns={[
          [t('name'), ({ path: name }) => showText(name), 'long'],
          [t('reason'), ({ reason }) => saySentence(showText(reason))],
          [t('when'), ({ at }) => <Time iso={at} />],
          [
            t('folderTriedAgain'),
            ({ retryAt }) => (retryAt === null ? t('notByItself') : <Time iso={retryAt} />),
          ],
        ]}
      />
    </section>
  );
}
